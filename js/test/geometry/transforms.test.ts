import { describe, expect, it } from "vitest";
import { distances, GHOST_OPACITY, likelihood, segmentOpacity } from "../../src/geometry/likelihood.ts";
import {
  anchorIndex,
  anchorValues,
  centeredCurves,
  nearestIndex,
  slopes,
  stepOpacity,
  stepValues,
  stepX,
} from "../../src/geometry/transforms.ts";

const GRID = [0, 1, 3];

describe("anchors", () => {
  it("are the first, the last, the nearest to the median or to a number, and none for the own value", () => {
    expect(anchorIndex(GRID, "min", 1.2)).toBe(0);
    expect(anchorIndex(GRID, "max", 1.2)).toBe(2);
    expect(anchorIndex(GRID, "median", 1.2)).toBe(1);
    expect(anchorIndex(GRID, -50, 1.2)).toBe(0);
    expect(anchorIndex(GRID, "own", 1.2)).toBeNull();
  });

  it("take the lower of two grid values that are equally near", () => {
    expect(nearestIndex(GRID, 2)).toBe(1);
    expect(nearestIndex(GRID, 0.5)).toBe(0);
  });
});

describe("c-ICE", () => {
  it("is 0 at the anchor in every line", () => {
    const values = new Float32Array([1, 4, 10, -2, -2, 0]);
    const curves = { values, grid: GRID, observed: [0, 3], atOwn: null, median: 1 };
    expect([...centeredCurves(values, anchorValues(curves, "max"))]).toEqual([-9, -6, 0, -2, -2, 0]);
    expect([...centeredCurves(values, anchorValues(curves, "own"))]).toEqual([0, 3, 9, -2, -2, 0]);
  });

  it("is held at the prediction of the row where its own value is not on the grid", () => {
    const curves = { values: new Float32Array([1, 4, 10]), grid: GRID, observed: [2], atOwn: [5], median: 1 };
    expect([...anchorValues(curves, "own")]).toEqual([5]);
    expect([...anchorValues(curves, "min")]).toEqual([1]);
  });

  it("of a single grid value is 0, whatever the anchor", () => {
    for (const anchor of ["min", "max", "median", "own", 7] as const) {
      const values = new Float32Array([5, 6]);
      const held = anchorValues({ values, grid: [2], observed: [2, 2], atOwn: null, median: 2 }, anchor);
      expect([...centeredCurves(values, held)]).toEqual([0, 0]);
    }
  });
});

describe("d-ICE", () => {
  it("has one slope per interval, in output per unit of the feature", () => {
    expect([...slopes(new Float32Array([1, 4, 10, -2, -2, 0]), GRID)]).toEqual([3, 3, 0, 1]);
    expect([...slopes(new Float32Array([1, 4]), [0])]).toEqual([]);
  });

  it("is drawn level over each interval, with the fainter of two opacities in between", () => {
    expect([...stepX(GRID)]).toEqual([0, 1, 1, 3]);
    expect([...stepValues(new Float32Array([3, 4, 0, 1]))]).toEqual([3, 3, 4, 4, 0, 0, 1, 1]);
    const opacity = new Float32Array([1, 0.25, 0.5, 0.75]);
    expect([...stepOpacity(opacity, 2)]).toEqual([1, 0.25, 0.25, 0.5, 0.5, 0.75]);
    expect([...stepOpacity(new Float32Array([0.5, 0.25]), 1)]).toEqual([0.5, 0.25]);
  });
});

describe("fading", () => {
  it("halves at one scale for a decay of one half and stops at the ghost", () => {
    const distance = distances([0, 2, 4, 400], [2], [2]);
    expect([...distance]).toEqual([1, 0, 1, 199]);
    expect([...likelihood(distance, 0.5)].slice(0, 3)).toEqual([0.5, 1, 0.5]);
    const opacity = segmentOpacity(distance, 4, 0.5);
    expect(opacity[0]).toBe(1);
    expect(opacity[1]).toBeCloseTo(GHOST_OPACITY + (1 - GHOST_OPACITY) / 2, 6);
    expect(opacity[2]).toBeCloseTo(GHOST_OPACITY, 6);
  });

  it("is none at a decay of 1 and writes where it is told to", () => {
    const distance = distances([0, 2, 4], [2], [2]);
    const out = new Float32Array(2);
    expect(segmentOpacity(distance, 3, 1, out)).toBe(out);
    expect([...out]).toEqual([1, 1]);
  });

  it("keeps only the own value where the scale is 0", () => {
    const distance = distances([0, 2], [2], [0]);
    expect([...distance]).toEqual([Infinity, 0]);
    expect([...likelihood(distance, 0.5)]).toEqual([0, 1]);
    expect([...likelihood(distance, 1)]).toEqual([0, 1]);
  });
});
