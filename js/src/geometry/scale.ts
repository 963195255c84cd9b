/** A linear scale: that of d3 without its interpolation of colours and texts, which is more code than all scales here. */
import { ticks } from "d3-array";
import { tickFormat } from "d3-scale";

export interface Scale {
  (value: number): number;
  invert(place: number): number;
  domain(): number[];
  domain(ends: readonly number[]): Scale;
  range(): number[];
  range(ends: readonly number[]): Scale;
  ticks(count: number): number[];
  tickFormat(count: number, specifier?: string): (value: number) => string;
  copy(): Scale;
}

/** From one pair of ends to another; everything lies half way where the first are one. */
function between([from = 0, to = 0]: readonly number[], [low = 0, high = 0]: readonly number[], value: number): number {
  if (Number.isNaN(value)) return value;
  const share = to === from ? 0.5 : (value - from) / (to - from);
  return low * (1 - share) + high * share;
}

export function scaleLinear(): Scale {
  let domain: readonly number[] = [0, 1];
  let range: readonly number[] = [0, 1];
  const scale = ((value) => between(domain, range, value)) as Scale;
  return Object.assign(scale, {
    invert: (place: number) => between(range, domain, place),
    domain: ((ends?: readonly number[]) => {
      if (ends === undefined) return [...domain];
      domain = [...ends];
      return scale;
    }) as Scale["domain"],
    range: ((ends?: readonly number[]) => {
      if (ends === undefined) return [...range];
      range = [...ends];
      return scale;
    }) as Scale["range"],
    ticks: (count: number) => ticks(domain[0]!, domain[1]!, count),
    tickFormat: (count: number, specifier?: string) => tickFormat(domain[0]!, domain[1]!, count, specifier),
    copy: () => scaleLinear().domain(domain).range(range),
  });
}
