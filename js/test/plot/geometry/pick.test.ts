import { describe, expect, it } from "vitest";
import { nearestLine, type Polylines } from "../../../src/plot/geometry/pick.ts";

function polylines(x: number[], rows: number[][]): Polylines {
  return { nLines: rows.length, nPoints: x.length, x: new Float64Array(x), y: new Float32Array(rows.flat()) };
}

describe("nearestLine", () => {
  const lines = polylines(
    [0, 10, 10, 30],
    [
      [5, 5, 25, 25],
      [8, 8, 8, 8],
      [5, 45, Number.NaN, Number.NaN],
    ],
  );

  it("finds line 0 like any other", () => {
    expect(nearestLine(lines, 4, 5.5, 10)).toEqual({ line: 0, distance: 0.5 });
    expect(nearestLine(lines, 20, 9, 10)).toEqual({ line: 1, distance: 1 });
  });

  it("measures to the line itself, so that steep stretches can be hit", () => {
    const hit = nearestLine(lines, 7, 35, 5);
    expect(hit?.line).toBe(2);
    expect(hit?.distance).toBeCloseTo(2 / Math.hypot(1, 4), 6);
    expect(nearestLine(lines, 11, 20, 5)).toEqual({ line: 0, distance: 1 });
  });

  it("finds nothing beyond the radius, where lines are broken, or among none", () => {
    expect(nearestLine(lines, 20, 15, 5)).toBeNull();
    expect(nearestLine(lines, 25, 44, 8)).toBeNull();
    expect(nearestLine(lines, -20, 5, 5)).toBeNull();
    expect(nearestLine(polylines([0, 1], []), 0, 0, 10)).toBeNull();
    expect(nearestLine(polylines([3], [[4]]), 3, 4, 10)).toBeNull();
  });

  it("looks at every segment within the radius, not only the one under the pointer", () => {
    const spike = polylines([0, 10, 11, 12, 30], [[40, 40, 2, 40, 40]]);
    expect(nearestLine(spike, 13.5, 20, 4)?.line).toBe(0);
    expect(nearestLine(spike, 8.5, 20, 4)?.line).toBe(0);
  });
});
