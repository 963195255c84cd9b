/** Linear scales from numbers to px, with round ticks. They equal those of d3-scale, which would add 19 kB to the bundle. */
import { tickStep, ticks } from "d3-array";
import { fixedFormat } from "../../text/numbers.ts";

type Ends = [number, number];

export interface Scale {
  (value: number): number;
  domain(): Ends;
  range(): Ends;
  invert(px: number): number;
  ticks(count: number): number[];
  /** Writes ticks with as many decimals as distinguish them. */
  tickFormat(count: number, options?: Intl.NumberFormatOptions): (value: number) => string;
}

/** A place between two ends; the middle where they coincide. */
const between = (value: number, [from, to]: Ends): number => (to === from ? 0.5 : (value - from) / (to - from));

/** From one stretch to another. */
export function move(value: number, source: Ends, target: Ends): number {
  const share = between(value, source);
  return target[0] * (1 - share) + target[1] * share;
}

export const scaleLinear = (from: Ends, to: Ends): Scale =>
  Object.assign((value: number) => move(value, from, to), {
    domain: () => from,
    range: () => to,
    invert: (px: number) => move(px, to, from),
    ticks: (count: number) => ticks(from[0], from[1], count),
    tickFormat: (count: number, options?: Intl.NumberFormatOptions) =>
      fixedFormat(tickDecimals(from, count, options?.style === "percent"), options),
  });

/** Decimals where all values are equal, so that there is no step. */
const DECIMALS_WITHOUT_STEP = 6;

/** The number of decimals that distinguish the ticks between two ends. */
function tickDecimals([from, to]: Ends, count: number, isPercent: boolean): number {
  const step = tickStep(from, to, count);
  if (!step) return DECIMALS_WITHOUT_STEP;
  const [, exponent] = step.toExponential().split("e");
  return Math.max(0, -Number(exponent)) - (isPercent ? 2 : 0);
}
