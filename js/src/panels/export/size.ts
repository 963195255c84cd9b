/** Width and resolution of a figure, and whether it has a heading. */

import { html, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";

const WIDTHS: [string, string][] = [
  ["", "default"],
  ["89", "89 mm, one column"],
  ["180", "180 mm, two columns"],
  ["other", "other …"],
];

/** Size and heading of a figure; null for the default size. */
export interface FigureSize {
  width: number | null;
  dpi: number | null;
  title: boolean;
}

const numberField = (name: string, min: number, max: number): HTMLInputElement =>
  html("input", { type: "number", class: "ice-number", min, max, step: "any", "data-test": `dialog-${name}` });

export class SizeFields {
  readonly #width = html(
    "select",
    { class: "ice-select", "data-test": "dialog-width" },
    ...WIDTHS.map(([value, label]) => html("option", { value }, label)),
  );
  readonly #millimetres = numberField("mm", 60, 600);
  readonly #unit = html("span", { class: "ice-field", hidden: true }, this.#millimetres, "mm");
  readonly #dpi = numberField("dpi", 50, 1200);
  readonly #title = html("input", { type: "checkbox", checked: true, "data-test": "dialog-title" });
  readonly node = html(
    "fieldset",
    { class: "ice-choice ice-choice-size" },
    html("legend", {}, "Figure"),
    html("label", { class: "ice-field" }, "Width ", this.#width),
    this.#unit,
    html(
      "label",
      { class: "ice-field" },
      "Resolution ",
      this.#dpi,
      "dpi ",
      html("span", { class: "ice-choice-hint" }, "of PNG, and of many curves in SVG and PDF"),
    ),
    html("label", { class: "ice-field ice-choice-title" }, this.#title, "Title over the plot"),
  );

  constructor(aborted: AbortSignal) {
    update(this.#millimetres, { "aria-label": "Width in mm" });
    update(this.#dpi, { placeholder: "300" });
    listen(this.#width, aborted, {
      change: () => {
        this.#draw();
        if (!this.#unit.hidden) this.#millimetres.focus();
      },
    });
  }

  #draw(): void {
    this.#unit.hidden = this.#width.value !== "other";
  }

  set(width: number | null, dpi: number | null): void {
    const text = String(width ?? "");
    const isPreset = WIDTHS.some(([value]) => value === text);
    this.#width.value = isPreset ? text : "other";
    this.#millimetres.value = isPreset ? "" : text;
    this.#dpi.value = String(dpi ?? "");
    this.#draw();
  }

  /** Fails where the typed text is not a number; a hidden form has the default size. */
  get(): FigureSize {
    if (this.node.hidden) return { width: null, dpi: null, title: true };
    const [width, dpi] = [this.#unit.hidden ? this.#width.value : this.#millimetres.value, this.#dpi];
    if (width === "" && !this.#unit.hidden) throw new Error("The width must be a number of mm, such as 120.");
    if (dpi.validity.badInput) throw new Error("The resolution must be a number of dpi, such as 300, or empty.");
    return {
      width: width === "" ? null : Number(width),
      dpi: dpi.value === "" ? null : Number(dpi.value),
      title: this.#title.checked,
    };
  }
}
