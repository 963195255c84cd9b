/** One row of the ranking: name, direction, filled bar, outline, figure. */
import { html, setText, update } from "./element.ts";

export interface BarState {
  rank: number;
  of: number;
  /** Shares of the longest bar; null while the figure is computed. */
  fill: number | null;
  outline: number | null;
  figure: string;
  direction: "up" | "down" | "none";
  open: boolean;
  /** Whether the Tab key reaches this row. */
  reachable: boolean;
  computing: boolean;
  description: string;
}

const SIGNS = { up: "▲", down: "▼", none: "" } as const;

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
      html("span", { class: "ice-bar-name", title: name }, name),
      this.#sign,
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
      "data-pending": state.fill === null,
      "data-computing": state.computing,
      "data-direction": state.direction,
    });
    const { style } = this.node;
    style.setProperty("--rank", String(state.rank - 1));
    style.setProperty("--fill", String(state.fill ?? 0));
    style.setProperty("--outline", String(state.outline ?? 0));
    style.setProperty("--end", String(Math.max(state.fill ?? 0, state.outline ?? 0)));
    this.#outline.hidden = state.outline === null;
    setText(this.#sign, SIGNS[state.direction]);
    setText(this.#figure, state.figure);
  }
}
