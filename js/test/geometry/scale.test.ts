/** Our linear scale against that of d3. */
import { scaleLinear as d3Scale } from "d3-scale";
import { expect, test } from "vitest";
import { scaleLinear } from "../../src/geometry/scale.ts";

test.each([
  [
    [0, 1],
    [10, 200],
  ],
  [
    [-3.5, 1e6],
    [300, 8],
  ],
  [
    [2, 2],
    [0, 50],
  ],
  [
    [0.1, 0.3],
    [330, 0],
  ],
])("is d3's from %j to %j", (domain, range) => {
  const [ours, theirs] = [scaleLinear().domain(domain).range(range), d3Scale().domain(domain).range(range)];
  for (const value of [-1, 0, 0.2, 2, 77, 1e5]) {
    expect(ours(value)).toBeCloseTo(theirs(value), 9);
    expect(ours.invert(value)).toBeCloseTo(theirs.invert(value), 6);
  }
  expect(ours.ticks(5)).toEqual(theirs.ticks(5));
  expect(ours.ticks(5).map(ours.tickFormat(5, "+%"))).toEqual(theirs.ticks(5).map(theirs.tickFormat(5, "+%")));
  const copy = ours.copy().domain([5, 6]);
  expect([ours.domain(), copy.domain(), copy.range()]).toEqual([domain, [5, 6], range]);
  expect(ours(Number.NaN)).toBeNaN();
});
