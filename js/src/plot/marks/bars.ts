/** One row of the ranking: name, direction, bar, tick, figure. */
import { html, setText, update } from "../../ui/element.ts";
import { partedText } from "../../ui/elided_name.ts";

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
  /** Whether it rests on a sample of the rows. */
  isDraft: boolean;
  /** Shares of the longest bar; null where there is none. */
  fill: number | null;
  tick: number | null;
  /** Ends of the whisker, likewise. */
  interval: [number, number] | null;
  /** Whether the row above, and the one below, is tied with this one. */
  tiedAbove: boolean;
  tiedBelow: boolean;
  /** A bar for each of several models, instead of the one bar and its tick; null with one model. */
  models: readonly ModelBar[] | null;
  figure: string;
  /** Sign before the figure: the direction of the curves, which levels without an order have not. */
  sign: "up" | "down" | "levels" | "none";
  /** By how many ranks it is above that at the default decay. */
  moved: number;
  open: boolean;
  /** Whether the Tab key reaches this row. */
  reachable: boolean;
  computing: boolean;
  description: string;
}

/** Shares of the longest bar; null where there is none. */
export interface ModelBar {
  fill: number | null;
  tick: number | null;
  color: string;
  isOpen: boolean;
}

const SIGNS = { up: "▲", down: "▼", levels: "", none: "" } as const;

export class Bar {
  readonly #sign = html("span", { class: "ice-bar-sign", "aria-hidden": "true" });
  readonly #fill = html("span", { class: "ice-bar-fill" });
  readonly #tick = html("span", { class: "ice-bar-tick" });
  readonly #models = html("span", { class: "ice-bar-models" });
  readonly #interval = html("span", { class: "ice-bar-interval", "data-test": "bar-interval" });
  // A row clips what leaves it, so a bracket has a half in each of the two rows that it joins.
  readonly #tiedAbove = html("span", { class: "ice-bar-tied", "data-to": "above", "data-test": "bar-tied" });
  readonly #tiedBelow = html("span", { class: "ice-bar-tied", "data-to": "below", "data-test": "bar-tied" });
  readonly #moved = html("span", { class: "ice-bar-moved", "data-test": "bar-moved" });
  readonly #figure = html("span", { class: "ice-bar-figure", "data-test": "bar-figure" });
  readonly node: HTMLElement;

  /** `parted` is the position from which the name differs from others. */
  constructor(
    readonly name: string,
    parted?: number,
  ) {
    this.node = html(
      "div",
      { class: "ice-bar", role: "option", tabindex: -1, "data-test": "bar", "data-feature": name },
      html("span", { class: "ice-bar-name ice-parted" }, ...partedText(name, parted)),
      html("span", { class: "ice-bar-track" }, this.#fill, this.#models, this.#tick, this.#interval, this.#moved),
      this.#sign,
      " ", // separates name and figure where they are read out or copied
      this.#figure,
      this.#tiedAbove,
      this.#tiedBelow,
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
      "data-draft": state.isDraft,
      "data-computing": state.computing,
      "data-sign": state.sign,
    });
    const [low, high] = state.interval ?? [0, 0];
    this.node.style.transform = `translateY(calc(${state.place} * var(--ice-row)))`;
    // Set on the part that uses it: a property that all parts of a row inherit takes the browser several times as long.
    this.#fill.style.setProperty("--fill", String(state.fill ?? 0));
    this.#tick.style.setProperty("--tick", String(state.tick ?? 0));
    this.#interval.style.setProperty("--low", String(low));
    this.#interval.style.setProperty("--high", String(high));
    this.#fill.hidden = state.models !== null && !state.pending;
    this.#drawModels(state.models ?? []);
    this.#tick.hidden = state.tick === null;
    this.#interval.hidden = state.interval === null;
    this.#tiedAbove.hidden = !state.tiedAbove;
    this.#tiedBelow.hidden = !state.tiedBelow;
    setText(this.#sign, SIGNS[state.sign]);
    setText(this.#moved, state.moved === 0 ? "" : `${state.moved > 0 ? "↑" : "↓"}${Math.abs(state.moved)}`);
    setText(this.#figure, state.figure);
  }

  #drawModels(models: readonly ModelBar[]): void {
    const parts = this.#models.children;
    // The whisker is that of the open model.
    const open = models.findIndex(({ isOpen }) => isOpen);
    this.#interval.style.setProperty("--at", open === -1 ? null : String((open + 0.5) / models.length));
    if (parts.length !== models.length) {
      const part = () => html("span", { class: "ice-bar-model", "data-test": "bar-model" }, html("i", {}));
      this.#models.replaceChildren(...models.map(part));
    }
    for (const [at, { fill, tick, color, isOpen }] of models.entries()) {
      const part = parts[at] as HTMLElement;
      update(part, { "data-open": isOpen, "data-tick": tick !== null });
      part.style.setProperty("--fill", String(fill ?? 0));
      part.style.setProperty("--tick", String(tick ?? 0));
      part.style.setProperty("--ice-line", color);
    }
  }
}
