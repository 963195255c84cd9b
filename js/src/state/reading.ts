/** Figures at the chosen decay, in the unit of the prediction. */

import type { Figures } from "../wire/tables.ts";

export class Reading {
  constructor(
    readonly figures: Figures,
    readonly decay: number,
  ) {}

  get(index: number, name: string): number {
    const { header, impact, profile } = this.figures;
    return header.profiles.includes(name) ? profile.get(name, index, this.decay) : impact.get(index, name);
  }

  /** The standard error of a figure that rests on a sample of the rows; NaN where it is not known. */
  error(index: number, name: string): number {
    return this.get(index, `${name}_error`);
  }

  /** The largest value that a figure has at any decay; 0 where it has one value. */
  largest(name: string): number {
    return this.figures.profile.largest(name);
  }
}
