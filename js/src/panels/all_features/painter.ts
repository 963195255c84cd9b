/** Paints the lines of the tiles: a sample while the slider moves, all of them once it rests. */

import { computed } from "@preact/signals-core";
import { Pace } from "../../plot/frame_budget.ts";
import { manySelected } from "../../plot/selected.ts";
import { Timer } from "../../ui/lifetime.ts";
import type { View } from "../../view/view.ts";
import type { Painting, Pictures } from "./pictures.ts";
import type { Tiles } from "./tiles.ts";

/** Time of a frame for all tiles while the slider moves. */
const BUDGET_MS = 9;
/** Time of a frame for painting once the slider rests; the other tiles follow in the next frame. */
const PAINT_MS = 8;
/** Time without movement after which the slider rests. */
const REST_MS = 120;

export class Painter {
  readonly #pace = new Pace(BUDGET_MS);
  readonly #many = computed(() => manySelected(this.view.store.selection.value));
  readonly #rest: Timer;

  /** Paints the tiles that are out of date, within the time of a frame. */
  readonly #paintAll = (): void => {
    const painting = this.#painting();
    const start = performance.now();
    let spent = 0;
    for (const tile of this.tiles.all.values()) {
      if (!this.pictures.has(tile) || this.pictures.isPainted(tile, painting)) continue;
      if (spent > PAINT_MS) {
        this.view.frames.request(this.#paintAll);
        return;
      }
      const lines = this.pictures.paint(tile, painting, Number.POSITIVE_INFINITY);
      this.#pace.took(performance.now() - start - spent, lines);
      spent = performance.now() - start;
    }
  };

  /** The milliseconds of the last frame are written on `panel`. */
  constructor(
    private readonly view: View,
    private readonly tiles: Tiles,
    private readonly pictures: Pictures,
    private readonly mostLines: number,
    panel: HTMLElement,
  ) {
    const { store, aborted, keep } = view;
    this.#rest = new Timer(aborted);
    keep(
      () => ({ ...this.#painting(), dragging: store.dragging.value, drawn: pictures.version.value }),
      ({ dragging, ...painting }) => {
        this.#rest.stop();
        if (!dragging) return this.#paintAll();
        panel.dataset.frameMs = this.#paintSome(painting).toFixed(1);
        this.#rest.start(REST_MS, () => view.frames.request(this.#paintAll));
      },
    );
  }

  #painting(): Painting {
    const { decay, hiddenOfOpen } = this.view.store;
    return { decay: decay.value, hidden: hiddenOfOpen.value, many: this.#many.value };
  }

  /** Paints as many lines of the tiles near the view as a frame has time for; the milliseconds that took. */
  #paintSome(painting: Painting): number {
    const shown = [...this.tiles.all.values()].filter(
      (tile) => this.pictures.has(tile) && this.tiles.isNear(tile.name),
    );
    const most = this.#pace.affordable(this.mostLines, shown.length);
    const start = performance.now();
    let lines = 0;
    for (const tile of shown) lines += this.pictures.paint(tile, painting, most);
    const spent = performance.now() - start;
    this.#pace.took(spent, lines);
    return spent;
  }
}
