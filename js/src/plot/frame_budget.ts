/** The number of curves that can be drawn per frame while the slider moves, by the time that the last ones took. */

/** Fewer curves than this do not show the shape of all. */
const LEAST_LINES = 20;

export class Pace {
  #msPerLine = 0;

  /** `budget` is the time per frame for all plots together, in ms. */
  constructor(private readonly budget: number) {}

  /** The number of curves within the budget, at most `lines`, in each of the plots. */
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
