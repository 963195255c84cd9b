/** Figures at the chosen decay and in the chosen unit. The twin of `units.py`. */

import { figureFormat, number } from "../text/numbers.ts";
import type { Unit } from "../wire/protocol.ts";
import type { Figures } from "../wire/tables.ts";

/** Figures in the unit of the prediction, in the order of tables. */
export const EFFECTS: ReadonlySet<string> = new Set([
  "impact",
  "in_distribution_impact",
  "direction",
  "heterogeneity",
  "non_linearity",
  "missing_impact",
  "disagreement",
]);
/** In the unit of the prediction, too, but only some features have it, so it has no total. */
const MEAN_CHANGE = "mean_change";
/** Metrics whose sum is below this part of that of impact have no shares. */
const ROUNDING = 1e-12;

export class Reading {
  readonly #wholes = new Map<string, number>();

  constructor(
    readonly figures: Figures,
    readonly decay: number,
    readonly unit: Unit,
  ) {}

  /** A figure in the chosen unit. */
  get(index: number, name: string): number {
    return this.#inUnit(name, this.plain(index, name));
  }

  /** The standard error of a figure that rests on a sample of the rows, in the same unit; NaN where it is not known. */
  error(index: number, name: string): number {
    return this.#inUnit(name, this.plain(index, `${name}_error`));
  }

  #inUnit(name: string, value: number): number {
    const isEffect = EFFECTS.has(name) || name === MEAN_CHANGE;
    if (this.unit === "prediction" || !isEffect) return value;
    const whole = this.#whole(name);
    // Shares of rounding errors are 0; without a whole, anything but 0 is undefined.
    if (this.unit === "share" && whole <= ROUNDING * this.#whole("impact")) return 0 * value;
    return whole === 0 ? value && Number.NaN : (100 * value) / whole;
  }

  /** A figure in the unit of the prediction. */
  plain(index: number, name: string): number {
    const { header, impact, profile } = this.figures;
    return header.profiles.includes(name) ? profile.get(name, index, this.decay) : impact.get(index, name);
  }

  /** The largest value that a figure has at any decay; 0 where it has one value, or shares whose whole moves with it. */
  largest(name: string): number {
    return this.unit === "share" ? 0 : this.#inUnit(name, this.figures.profile.largest(name));
  }

  /** Writes a single figure; see `number`. */
  write(value: number, relatedTo = 0): string {
    return this.#withUnit(value, number(value, relatedTo));
  }

  /** Returns a function that writes the figures of a column. */
  column(largest: number): (value: number) => string {
    const write = figureFormat(largest);
    return (value) => this.#withUnit(value, write(value));
  }

  #withUnit(value: number, text: string): string {
    return this.unit === "prediction" || !Number.isFinite(value) ? text : `${text}\u00a0%`;
  }

  /** The figure that is 100 per cent. */
  #whole(metric: string): number {
    const { header } = this.figures;
    if (this.unit === "sd") return header.prediction_sd ?? Number.NaN;
    if (metric === MEAN_CHANGE) return Number.NaN;
    const known = this.#wholes.get(metric);
    if (known !== undefined) return known;
    let whole = 0;
    for (const index of header.features.keys()) {
      const size = Math.abs(this.plain(index, metric));
      if (!Number.isNaN(size)) whole += size;
    }
    this.#wholes.set(metric, whole);
    return whole;
  }
}
