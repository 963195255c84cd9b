import { scaleLinear } from "d3-scale";
import { describe, expect, test } from "vitest";
import { linearScale } from "../../src/geometry/scale.ts";

const cases: [[number, number], [number, number]][] = [
  [
    [0, 1],
    [300, 8],
  ],
  [
    [-0.174, 0.927],
    [96, 6],
  ],
  [
    [18, 84],
    [40, 640],
  ],
  [
    [1e-7, 3e-7],
    [0, 100],
  ],
  [
    [-12000, 4_500_000],
    [0, 100],
  ],
];

describe("a linear scale", () => {
  test.each(cases)("is d3's on %j → %j", (domain, range) => {
    const ours = linearScale(domain, range);
    const theirs = scaleLinear().domain(domain).range(range);
    for (const share of [-0.5, 0, 0.3, 1, 1.5]) {
      const value = domain[0] + share * (domain[1] - domain[0]);
      expect(ours(value)).toBeCloseTo(theirs(value), 9);
      expect(ours.invert(ours(value)) / value || 1).toBeCloseTo(1, 9);
    }
    for (const count of [2, 4, 10]) {
      expect(ours.ticks(count)).toEqual(theirs.ticks(count));
      for (const specifier of [undefined, "+%", "+f"]) {
        const [write, expected] = [ours.tickFormat(count, specifier), theirs.tickFormat(count, specifier)];
        expect(ours.ticks(count).map(write)).toEqual(theirs.ticks(count).map(expected));
      }
    }
    expect([ours.domain(), ours.range()]).toEqual([domain, range]);
  });

  test("puts everything in the middle where its ends are one", () => {
    expect(linearScale([3, 3], [0, 10])(3)).toBe(5);
  });

  test("knows no place for a missing value", () => {
    expect(linearScale([0, 1], [0, 10])(Number.NaN)).toBeNaN();
  });
});
