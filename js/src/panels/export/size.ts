/** How wide a figure is printed, how fine, and whether it has a heading. */

import { html } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";

const WIDTHS: [string, string][] = [
  ["", "default"],
  ["89", "89 mm, one column"],
  ["180", "180 mm, two columns"],
  ["other", "other …"],
];

export interface SizeFields {
  node: HTMLElement;
  set(width: number | null, dpi: number | null): void;
  /** Fails where what was typed is no number; null is the usual one, and what is hidden has none. */
  get(): { width: number | null; dpi: number | null; title: boolean };
}

export function sizeFields(aborted: AbortSignal): SizeFields {
  const width = html(
    "select",
    { class: "ice-select", "data-test": "dialog-width" },
    ...WIDTHS.map(([value, label]) => html("option", { value }, label)),
  );
  const millimetres = html("input", {
    type: "number",
    class: "ice-number",
    min: 60,
    max: 600,
    step: "any",
    "aria-label": "Width in mm",
    "data-test": "dialog-mm",
  });
  const unit = html("span", { class: "ice-field", hidden: true }, millimetres, "mm");
  const dpi = html("input", {
    type: "number",
    class: "ice-number",
    min: 50,
    max: 1200,
    step: "any",
    placeholder: "300",
    "data-test": "dialog-dpi",
  });
  const ofWhat = html("span", { class: "ice-choice-hint" }, "of PNG, and of many curves in SVG and PDF");
  const resolution = html("label", { class: "ice-field" }, "Resolution ", dpi, "dpi ", ofWhat);
  const title = html("input", { type: "checkbox", checked: true, "data-test": "dialog-title" });
  const heading = html("label", { class: "ice-field ice-choice-title" }, title, "Title over the plot");
  const draw = (): void => {
    unit.hidden = width.value !== "other";
  };
  const choose = (): void => {
    draw();
    if (!unit.hidden) millimetres.focus();
  };
  listen(width, aborted, { change: choose });
  const node = html(
    "fieldset",
    { class: "ice-choice ice-choice-size" },
    html("legend", {}, "Figure"),
    html("label", { class: "ice-field" }, "Width ", width),
    unit,
    resolution,
    heading,
  );
  return {
    node,
    set: (wide, dots) => {
      const preset = WIDTHS.some(([value]) => value === String(wide ?? ""));
      width.value = preset ? String(wide ?? "") : "other";
      millimetres.value = preset || wide === null ? "" : String(wide);
      dpi.value = dots === null ? "" : String(dots);
      draw();
    },
    get: () => {
      if (node.hidden) return { width: null, dpi: null, title: true };
      const typed = width.value === "other" ? millimetres.value : width.value;
      if (typed === "" && width.value === "other") throw new Error("The width must be a number of mm, such as 120.");
      if (dpi.validity.badInput) throw new Error("The resolution must be a number of dpi, such as 300, or empty.");
      return {
        width: typed === "" ? null : Number(typed),
        dpi: dpi.value === "" ? null : Number(dpi.value),
        title: title.checked,
      };
    },
  };
}
