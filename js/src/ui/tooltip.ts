/** A tooltip next to the pointer that stays inside the explorer. */
import { html, uniqueId } from "./element.ts";
import type { Frames } from "./frames.ts";
import { moveBeside } from "./move_to.ts";
import { placeBelow, placeBeside } from "./placing.ts";

export interface TooltipRow {
  label: string;
  value: string;
  swatch?: string | undefined;
}

export class Tooltip {
  readonly node = html("div", {
    id: uniqueId("ice-tooltip"),
    class: "ice-tooltip",
    role: "tooltip",
    hidden: true,
    "data-test": "tooltip",
  });
  #anchor = new DOMRect();
  #placeAt = placeBeside;

  constructor(
    private readonly boundary: HTMLElement,
    private readonly frames: Frames,
  ) {
    boundary.append(this.node);
  }

  /** Shows a card. `spoken` announces it, for cards opened by keyboard; cards at the pointer are not announced. */
  show(title: string, rows: readonly TooltipRow[], anchor: DOMRect, spoken: boolean, note: string | null = null): void {
    this.node.setAttribute("aria-live", spoken ? "polite" : "off");
    // No description list: JupyterLab floats the terms of those in every output.
    const list = html("div", { class: "ice-tooltip-rows" });
    for (const { label, value, swatch } of rows) {
      const shown = html("span", { class: "ice-tooltip-value" }, value);
      if (swatch !== undefined) {
        const chip = html("span", { class: "ice-swatch" });
        chip.style.background = swatch;
        shown.prepend(chip);
      }
      list.append(html("span", { class: "ice-tooltip-label" }, label), shown);
    }
    this.node.replaceChildren(html("div", { class: "ice-tooltip-title" }, title), list);
    if (note !== null) this.node.append(html("p", { class: "ice-tooltip-note" }, note));
    this.#open(anchor, placeBeside);
  }

  /** Shows a text below the element that it explains; "" is no heading. */
  explain(title: string, text: string, anchor: DOMRect): void {
    this.node.setAttribute("aria-live", "off");
    const heading = title === "" ? [] : [html("div", { class: "ice-tooltip-title" }, title)];
    this.node.replaceChildren(...heading, html("p", { class: "ice-tooltip-note" }, text));
    this.#open(anchor, placeBelow);
  }

  hide(): void {
    this.node.hidden = true;
  }

  #open(anchor: DOMRect, place: typeof placeBeside): void {
    this.node.hidden = false;
    this.#anchor = anchor;
    this.#placeAt = place;
    this.frames.request(this.#place);
  }

  /** Runs after all other drawing of the frame, because reading the size of the tooltip causes a layout. */
  readonly #place = (): void => {
    if (!this.node.hidden) moveBeside(this.node, this.#anchor, this.boundary, this.#placeAt);
  };
}
