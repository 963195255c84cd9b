/** Small plots show the same curves, at most one point for each px and both ends. */
import { describe, expect, test } from "vitest";
import { clinic } from "../../dev/explorers.ts";
import { sceneOf, thinnedScene } from "../../src/plot/scene.ts";

describe("a thinned scene", () => {
  const curves = clinic.curves("Steps a day");

  test.each(["ice", "c-ice"] as const)("has the values of the large one at its points: %s", (kind) => {
    const anchor = 7000;
    const large = sceneOf(curves, kind, anchor);
    const small = thinnedScene(curves, kind, anchor, 15);
    expect(small.x.length).toBeLessThanOrEqual(16);
    expect([small.extent, small.base]).toEqual([large.extent, large.base]);
    expect(small.anchoredAt).toBe(large.anchoredAt);
    const nPoints = small.x.length;
    for (const [point, value] of small.x.entries()) {
      const at = curves.grid.indexOf(value);
      expect(small.mean[point]).toBe(large.mean[at]);
      for (const line of [0, 7, curves.n_lines - 1]) {
        expect(small.values[line * nPoints + point]).toBe(large.values[line * curves.n_grid + at]);
      }
    }
  });

  test("has the slopes between the points that it keeps", () => {
    const small = thinnedScene(curves, "d-ice", "min", 15);
    const nIntervals = small.curves.n_grid - 1;
    expect(small.x.length).toBe(2 * nIntervals);
    const [first, last] = [small.curves.grid[0]!, small.curves.grid[nIntervals]!];
    const rise = Array.from(
      { length: nIntervals },
      (_, k) => (small.x[2 * k + 1]! - small.x[2 * k]!) * small.values[2 * k]!,
    );
    const whole = curves.values[curves.n_grid - 1]! - curves.values[0]!;
    expect(rise.reduce((sum, each) => sum + each, 0)).toBeCloseTo(whole, 5);
    expect([first, last]).toEqual([curves.grid[0], curves.grid[curves.n_grid - 1]]);
  });

  test("is the large one where its points are few", () => {
    const few = clinic.curves("Smoker");
    expect(thinnedScene(few, "c-ice", "min", 15)).toEqual(sceneOf(few, "c-ice", "min"));
  });
});
