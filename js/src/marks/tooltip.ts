/** A small card beside the pointer that stays inside the explorer. */
import { computePosition, flip, offset, shift } from "@floating-ui/dom";
import { html } from "./element.ts";

export interface TooltipRow {
  label: string;
  value: string;
  swatch?: string | undefined;
}

export class Tooltip {
  readonly node = html("div", { class: "ice-tooltip", role: "tooltip", hidden: true, "data-test": "tooltip" });
  #turn = 0;

  constructor(private readonly boundary: HTMLElement) {
    boundary.append(this.node);
  }

  /** A card that the keyboard called for is read out; one that follows the pointer would never stop talking. */
  show(title: string, rows: readonly TooltipRow[], anchor: DOMRect, spoken: boolean): void {
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
    this.node.hidden = false;
    void this.#place(anchor);
  }

  hide(): void {
    this.#turn++;
    this.node.hidden = true;
  }

  async #place(anchor: DOMRect): Promise<void> {
    const turn = ++this.#turn;
    const reference = { getBoundingClientRect: () => anchor, contextElement: this.boundary };
    const { x, y } = await computePosition(reference, this.node, {
      placement: "right-start",
      middleware: [
        offset(14),
        flip({ boundary: this.boundary, fallbackPlacements: ["left-start", "bottom", "top"] }),
        shift({ boundary: this.boundary, crossAxis: true, padding: 4 }),
      ],
    });
    if (turn !== this.#turn) return;
    this.node.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }
}
