/** One row of the ranking: name, direction, bar, tick, figure. */
import { html, setText, update } from "../elements/element.ts";
import { partedText } from "../elements/elided_name.ts";

export interface BarState {
  /** Among all features, from 1. */
  rank: number;
  /** Its row, from 0. */
  place: number;
  /** Its place in the list, from 1, and how many the list has, in sight or not. */
  position: number;
  of: number;
  /** Whether the figure is still to come. */
  pending: boolean;
  /** Shares of the longest bar; null where there is none. */
  fill: number | null;
  tick: number | null;
  /** Ends of the whisker, likewise. */
  interval: [number, number] | null;
  figure: string;
  /** Sign before the bar: the direction of the curves, or the mark of levels without an order. */
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
  readonly #tick = html("span", { class: "ice-bar-tick" });
  readonly #interval = html("span", { class: "ice-bar-interval", "data-test": "bar-interval" });
  readonly #figure = html("span", { class: "ice-bar-figure", "data-test": "bar-figure" });
  readonly node: HTMLElement;

  /** `parted` is where the name begins to differ from others. */
  constructor(
    readonly name: string,
    parted?: number,
  ) {
    this.node = html(
      "div",
      { class: "ice-bar", role: "option", tabindex: -1, "data-test": "bar", "data-feature": name },
      html("span", { class: "ice-bar-name ice-parted" }, ...partedText(name, parted)),
      this.#sign,
      " ", // between name and figure, for those who hear or copy them
      html("span", { class: "ice-bar-track" }, this.#fill, this.#tick, this.#interval, this.#figure),
    );
  }

  draw(state: BarState): void {
    update(this.node, {
      "aria-selected": String(state.open),
      "aria-posinset": state.position,
      "aria-setsize": state.of,
      "aria-label": state.description,
      tabindex: state.reachable ? 0 : -1,
      "data-rank": state.rank,
      "data-pending": state.pending,
      "data-computing": state.computing,
      "data-sign": state.sign,
    });
    const [low, high] = state.interval ?? [0, 0];
    this.moveTo(state.place);
    // Each on the part that it is of: what a row hands down to all its parts takes the browser several times as long.
    this.#fill.style.setProperty("--fill", String(state.fill ?? 0));
    this.#tick.style.setProperty("--tick", String(state.tick ?? 0));
    this.#interval.style.setProperty("--low", String(low));
    this.#interval.style.setProperty("--high", String(high));
    this.#figure.style.setProperty("--end", String(Math.max(state.fill ?? 0, state.tick ?? 0, high)));
    this.#tick.hidden = state.tick === null;
    this.#interval.hidden = state.interval === null;
    setText(this.#sign, SIGNS[state.sign]);
    setText(this.#figure, state.figure);
  }

  /** Stands at a place of the list, or glides there from where it stood. */
  moveTo(place: number): void {
    this.node.style.transform = `translateY(calc(${place} * var(--ice-row)))`;
  }

  /** For a row that is about to be shown: it glides to its place from another one. */
  comeFrom(place: number, to: number): void {
    this.node.style.setProperty("--shift", String(place - to));
  }

  /** Glides out of sight, and is no part of the list any more. */
  leaveTo(place: number): void {
    update(this.node, { role: "presentation", "aria-hidden": "true", "data-test": null, "data-feature": null });
    this.node.inert = true;
    this.moveTo(place);
  }
}
