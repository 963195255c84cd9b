/** Our scales against those of d3-scale. */
import { randomLcg } from "d3-random";
import * as d3 from "d3-scale";
import { expect, test } from "vitest";
import { scaleLinear } from "../../../src/plot/marks/scale.ts";

const random = randomLcg(0.3);
const cases = Array.from({ length: 200 }, (): [number, number] => {
  const size = 10 ** (12 * random() - 6);
  const from = size * (random() - 0.5);
  return random() < 0.1 ? [from, from] : [from, from + size * random()];
});

/** Options of ours, and what d3 calls the same. */
const FORMATS: [Intl.NumberFormatOptions | undefined, string | undefined][] = [
  [undefined, undefined],
  [{ useGrouping: false }, "f"],
  [{ style: "percent", signDisplay: "exceptZero" }, "+,%"],
];

test.each(FORMATS)("places, ticks and their labels (%o) are those of d3 (%s)", (options, specifier) => {
  for (const domain of cases) {
    const ours = scaleLinear(domain, [320, 8]);
    const theirs = d3.scaleLinear().domain(domain).range([320, 8]);
    for (const share of [-0.5, 0, 0.3, 1, 2]) {
      const value = domain[0] + share * (domain[1] - domain[0]);
      expect(ours(value)).toBeCloseTo(theirs(value), 9);
      expect(ours.invert(320 * share)).toBeCloseTo(theirs.invert(320 * share), 6);
    }
    for (const count of [2, 5, 10]) {
      expect(ours.ticks(count)).toEqual(theirs.ticks(count));
      const [write, witness] = [ours.tickFormat(count, options), theirs.tickFormat(count, specifier)];
      const labels = theirs.ticks(count).map((tick) => witness(tick).replace(/^\+(0(\.0*)?%)$/, "$1"));
      expect(ours.ticks(count).map(write)).toEqual(labels);
    }
  }
});
