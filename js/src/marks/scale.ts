/** Straight scales from numbers to px, with round ticks. Only what an axis needs: whole libraries of colours come with others. */
import { tickStep, ticks } from "d3-array";
import { format, formatSpecifier, precisionFixed } from "d3-format";

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
  /** How ticks are written: with as many decimals as tell them apart. `specifier` is one of d3-format's, of type f or %. */
  tickFormat(count: number, specifier?: string): (value: number) => string;
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
  scale.tickFormat = (count, specifier) => tickFormat(from[0], from[1], count, specifier);
  return scale;
}

/** How ticks between two ends are written. */
function tickFormat(from: number, to: number, count: number, specifier = ",f"): (value: number) => string {
  const wanted = formatSpecifier(specifier);
  const decimals = precisionFixed(tickStep(from, to, count));
  // What no step tells, such as a domain of one value, is left to the format.
  if (!Number.isNaN(decimals)) wanted.precision = Math.max(0, decimals - (wanted.type === "%" ? 2 : 0));
  return format(wanted.toString());
}
