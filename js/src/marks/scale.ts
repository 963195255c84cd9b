/** Linear scales from numbers to px, with round ticks. They equal those of d3-scale, which would add 19 kB to the bundle. */
import { tickStep, ticks } from "d3-array";
import { fixedFormat } from "../words/numbers.ts";

type Ends = [number, number];

export interface LinearScale {
  (value: number): number;
  domain(): Ends;
  domain(ends: readonly number[]): LinearScale;
  range(): Ends;
  range(ends: readonly number[]): LinearScale;
  invert(px: number): number;
  copy(): LinearScale;
  ticks(count: number): number[];
  /** Writes ticks with as many decimals as distinguish them. */
  tickFormat(count: number, options?: Intl.NumberFormatOptions): (value: number) => string;
}

/** A place between two ends; the middle where they coincide. */
const between = (value: number, [from, to]: Ends): number => (to === from ? 0.5 : (value - from) / (to - from));

const endsOf = ([from = 0, to = 0]: readonly number[]): Ends => [from, to];

export function scaleLinear(from: Ends = [0, 1], to: Ends = [0, 1]): LinearScale {
  const move = (value: number, source: Ends, target: Ends): number => {
    const share = between(value, source);
    return target[0] * (1 - share) + target[1] * share;
  };
  const scale = ((value: number) => move(value, from, to)) as LinearScale;
  scale.domain = ((ends?: readonly number[]) => {
    if (ends === undefined) return endsOf(from);
    from = endsOf(ends);
    return scale;
  }) as LinearScale["domain"];
  scale.range = ((ends?: readonly number[]) => {
    if (ends === undefined) return endsOf(to);
    to = endsOf(ends);
    return scale;
  }) as LinearScale["range"];
  scale.invert = (px) => move(px, to, from);
  scale.copy = () => scaleLinear(from, to);
  scale.ticks = (count) => ticks(from[0], from[1], count);
  scale.tickFormat = (count, options) => fixedFormat(tickDecimals(from, count, options?.style === "percent"), options);
  return scale;
}

/** Decimals where all values are equal, so that there is no step. */
const DECIMALS_WITHOUT_STEP = 6;

/** The number of decimals that distinguish the ticks between two ends. */
function tickDecimals([from, to]: Ends, count: number, isPercent: boolean): number {
  const step = tickStep(from, to, count);
  if (!step) return DECIMALS_WITHOUT_STEP;
  const [, exponent] = step.toExponential().split("e");
  return Math.max(0, -Number(exponent)) - (isPercent ? 2 : 0);
}
