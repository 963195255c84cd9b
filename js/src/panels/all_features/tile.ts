/** One feature in small: name, rank and figure, its lines in the kind that is shown. */

import { SmallPicture } from "../../plot/small_picture.ts";
import type { SmallPlot } from "../../plot/small_plot.ts";
import type { Hidden } from "../../state/filters.ts";
import { html, setText, update } from "../../ui/element.ts";
import { partedText } from "../../ui/elided_name.ts";
import { TILE_HEIGHT } from "./places.ts";

export interface TileState {
  place: number;
  of: number;
  figure: string;
  x: number;
  y: number;
  width: number;
  isOpen: boolean;
  /** Whether its rank may still change. */
  mayMove: boolean;
  isReachable: boolean;
  /** The metric of the figure, for screen readers. */
  metric: string;
  /** Shown instead of a picture; empty where there is one. */
  message: string;
  hasFailed: boolean;
}

export class Tile {
  readonly picture = new SmallPicture();
  readonly #rank = html("span", { class: "ice-tile-rank" });
  readonly #figure = html("span", { class: "ice-tile-figure" });
  readonly #metric = html("span", { class: "ice-hidden" });
  readonly #message = html("p", { class: "ice-small-message", "data-test": "tile-message" });
  readonly node: HTMLElement;
  /** The state of the last painting; null where the lines must be painted again. */
  painted: { decay: number; hidden: Hidden; many: ReadonlySet<number> | null; lines: number } | null = null;

  /** `parted` is where the name begins to differ from others. */
  constructor(
    readonly name: string,
    parted: number | undefined,
  ) {
    const title = html("span", { class: "ice-tile-name ice-parted", title: name }, ...partedText(name, parted));
    this.node = html(
      "div",
      { class: "ice-tile", role: "option", tabindex: -1, "data-test": "tile", "data-feature": name },
      html("div", { class: "ice-tile-head" }, this.#rank, " ", title, " ", this.#figure, " ", this.#metric),
      html("div", { class: "ice-small-body" }, this.picture.node, this.#message),
    );
    this.node.style.height = `${TILE_HEIGHT}px`;
  }

  place(state: TileState): void {
    update(this.node, {
      "aria-selected": String(state.isOpen),
      "aria-posinset": state.place + 1,
      "aria-setsize": state.of,
      tabindex: state.isReachable ? 0 : -1,
      "data-place": state.place,
      "data-may-move": state.mayMove,
    });
    this.node.style.width = `${state.width}px`;
    this.node.style.transform = `translate(${state.x}px, ${state.y}px)`;
    setText(this.#rank, String(state.place + 1));
    setText(this.#figure, state.figure);
    setText(this.#metric, state.figure === "" ? "" : state.metric);
    setText(this.#message, state.message);
    update(this.#message, { "data-state": state.hasFailed ? "error" : null });
    this.#message.hidden = state.message === "";
    this.picture.node.hidden = state.message !== "";
  }

  draw(plot: SmallPlot): void {
    this.picture.draw(plot);
    this.painted = null;
  }
}
