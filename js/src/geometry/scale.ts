/** A linear scale: values to px and back, with round ticks. */
import { tickStep, ticks } from "d3-array";
import { format } from "d3-format";

export interface Scale {
  (value: number): number;
  invert(px: number): number;
  domain(): [number, number];
  range(): [number, number];
  /** About so many round values. */
  ticks(count: number): number[];
  /** How these are written: with the digits that tell them apart, in the notation of d3-format. */
  tickFormat(count: number, specifier?: string): (value: number) => string;
}

type Ends = readonly [number, number];

/** Maps a value between two ends to its place between two others; where the ends are one, to the middle. */
const between =
  ([from, to]: Ends, [start, end]: Ends) =>
  (value: number): number => {
    const share = to === from ? 0.5 : (value - from) / (to - from);
    return start * (1 - share) + end * share;
  };

/** Decimals that tell steps of this size apart. */
const decimalsOf = (step: number): number => Math.max(0, -Number(Math.abs(step).toExponential().split("e")[1]));

export function linearScale(domain: Ends, range: Ends): Scale {
  return Object.assign(between(domain, range), {
    invert: between(range, domain),
    domain: (): [number, number] => [...domain],
    range: (): [number, number] => [...range],
    ticks: (count: number) => ticks(...domain, count),
    tickFormat: (count: number, specifier = ",f") => {
      const decimals = decimalsOf(tickStep(...domain, count)) - (specifier.endsWith("%") ? 2 : 0);
      return format(specifier.replace(/.$/, (type) => `.${Math.max(0, decimals)}${type}`));
    },
  });
}
