/** One row of the ranking: name, direction, filled bar, outline, figure. */
import { html, setText, update } from "./element.ts";

export interface BarState {
  rank: number;
  of: number;
  /** Whether the figure is still to come. */
  pending: boolean;
  /** Shares of the longest bar; null where there is none. */
  fill: number | null;
  outline: number | null;
  figure: string;
  /** What stands before the bar: where the curves go, or that they go nowhere because their axis has levels. */
  sign: "up" | "down" | "levels" | "none";
  open: boolean;
  /** Whether the Tab key reaches this row. */
  reachable: boolean;
  computing: boolean;
  description: string;
}

const SIGNS = { up: "▲", down: "▼", levels: "", none: "" } as const;

export class Bar {
  readonly #sign = html("span", { class: "ice-bar-sign", "aria-hidden": "true" });
  readonly #fill = html("span", { class: "ice-bar-fill" });
  readonly #outline = html("span", { class: "ice-bar-outline" });
  readonly #figure = html("span", { class: "ice-bar-figure", "data-test": "bar-figure" });
  readonly node: HTMLElement;

  constructor(readonly name: string) {
    this.node = html(
      "div",
      { class: "ice-bar", role: "option", tabindex: -1, "data-test": "bar", "data-feature": name },
      html("span", { class: "ice-bar-name" }, name),
      this.#sign,
      " ", // between name and figure, for those who hear or copy them
      html("span", { class: "ice-bar-track" }, this.#fill, this.#outline, this.#figure),
    );
  }

  draw(state: BarState): void {
    update(this.node, {
      "aria-selected": String(state.open),
      "aria-posinset": state.rank,
      "aria-setsize": state.of,
      "aria-label": state.description,
      tabindex: state.reachable ? 0 : -1,
      "data-rank": state.rank,
      "data-pending": state.pending,
      "data-computing": state.computing,
      "data-sign": state.sign,
    });
    const { style } = this.node;
    style.setProperty("--rank", String(state.rank - 1));
    style.setProperty("--fill", String(state.fill ?? 0));
    style.setProperty("--outline", String(state.outline ?? 0));
    style.setProperty("--end", String(Math.max(state.fill ?? 0, state.outline ?? 0)));
    this.#outline.hidden = state.outline === null;
    setText(this.#sign, SIGNS[state.sign]);
    setText(this.#figure, state.figure);
  }
}
