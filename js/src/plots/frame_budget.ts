/** How many lines of several plots can be drawn in a frame while the slider moves, from what the last ones took. */

/** Fewer lines than this no longer show the shape of the whole. */
const LEAST_LINES = 20;

export class Pace {
  #msPerLine = 0;

  /** What a frame may cost for all of them together, in ms. */
  constructor(private readonly budget: number) {}

  /** Of so many lines in so many plots each. */
  affordable(lines: number, plots: number): number {
    if (this.#msPerLine === 0) return lines;
    return Math.min(lines, Math.max(LEAST_LINES, Math.floor(this.budget / (this.#msPerLine * plots))));
  }

  took(ms: number, lines: number): void {
    if (lines === 0) return;
    const cost = ms / lines;
    this.#msPerLine = this.#msPerLine === 0 ? cost : 0.8 * this.#msPerLine + 0.2 * cost;
  }
}
