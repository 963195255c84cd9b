/** What a kind of picture shows of some curves, still in the units of the data. */
import { describe, expect, test } from "vitest";
import { sceneOf, standIns } from "../../src/plot/scene.ts";
import type { CurvesBody } from "../../src/wire/protocol.ts";
import { curvesOf } from "../curves.ts";

/** Two rows at three levels: the first has level 1, the second lacks the value. */
const town = curvesOf({
  feature: "town",
  kind: "category",
  levels: ["a", "b", "c"],
  offset: 100,
  prediction_range: [100, 106],
  median: 2,
  observed: Float64Array.of(1, Number.NaN),
  predictions: Float32Array.of(2, 0.5),
  values: Float32Array.of(1, 2, 3, 4, 5, 6),
  partial_dependence: Float32Array.of(2.5, 3.5, 4.5),
  missing: { count: 1, mean: 101, values: Float32Array.of(1.5, 0.5) },
  distances: Float32Array.of(1, 0, 1, 1, 1, 0),
});

describe("levels", () => {
  test("show predictions, and beside the axis those with the value missing", () => {
    const scene = sceneOf(town, "ice", "min");
    expect(scene.onLevels).toBe(true);
    expect(scene.missing).toEqual({ values: Float32Array.of(1.5, 0.5), mean: 1 });
    expect(scene.own).toEqual(Float32Array.of(2, 0.5));
    expect(scene.extent).toEqual([0.5, 6]);
  });

  test("are centred at a level, what is missing with them", () => {
    const scene = sceneOf(town, "c-ice", 1);
    expect(scene.values).toEqual(Float32Array.of(-1, 0, 1, -1, 0, 1));
    expect(scene.anchoredAt).toBe(1);
    expect(scene.missing).toEqual({ values: Float32Array.of(-0.5, -4.5), mean: -2.5 });
    expect(scene.own).toEqual(Float32Array.of(0, -4.5));
  });

  test("are centred at the own level; where there is none, at the most frequent", () => {
    const scene = sceneOf(town, "c-ice", "own");
    expect(scene.values).toEqual(Float32Array.of(-1, 0, 1, -2, -1, 0));
    expect(scene.own).toEqual(Float32Array.of(0, -5.5));
    expect(scene.missing!.values).toEqual(Float32Array.of(-0.5, -5.5));
    // Each line is held elsewhere, so that the means are those of the drawn lines.
    expect(scene.mean).toEqual(Float32Array.of(-1.5, -0.5, 0.5));
    expect(scene.missing!.mean).toBe(-3);
  });

  test("without an order show their predictions where slopes are asked for; ranks show slopes", () => {
    expect(sceneOf(town, "d-ice", "min")).toMatchObject({ kind: "ice", onLevels: true });
    const ranks = sceneOf({ ...town, kind: "ordered", distances: null }, "d-ice", "min");
    expect(ranks).toMatchObject({ kind: "d-ice", onLevels: false, missing: null });
    expect(ranks.values).toEqual(Float32Array.of(1, 1, 1, 1, 1, 1, 1, 1));
    expect(ranks.own[1]).toBeNaN();
  });

  test("are centred at the row's own prediction where its level has no curves", () => {
    const off = { ...town, observed: Float64Array.of(-1, 0), missing: null, at_own: Float32Array.of(2, 4) };
    const scene = sceneOf(off, "c-ice", "own");
    expect(scene.values).toEqual(Float32Array.of(-1, 0, 1, 0, 1, 2));
    expect(scene.own).toEqual(Float32Array.of(0, 0));
    expect(sceneOf(off, "c-ice", "min").values).toEqual(Float32Array.of(0, 1, 2, 0, 1, 2));
  });

  test("a level without curves is stood in for by the most frequent one", () => {
    expect(standIns({ ...town, observed: Float64Array.of(-1, 0) })).toEqual(Float64Array.of(2, 0));
  });
});

describe("slopes", () => {
  const nGrid = 101;
  const steps = curvesOf({
    n_grid: nGrid,
    median: 50,
    observed: Float64Array.of(50, 99.5),
    grid: Float64Array.from({ length: nGrid }, (_, k) => k),
    values: Float32Array.from({ length: 2 * nGrid }, (_, z) => Math.floor((z % nGrid) / 10) * (z < nGrid ? 1 : 3)),
    partial_dependence: Float32Array.from({ length: nGrid }, (_, k) => 2 * Math.floor(k / 10)),
  });

  test("are drawn over 20 bins: the rise over each by its width, for curves, their mean and own values", () => {
    const scene = sceneOf(steps, "d-ice", "min");
    expect(scene.nBins).toBe(20);
    expect(scene.x.length).toBe(40);
    expect(Array.from(scene.values.subarray(0, 4))).toEqual([0, 0, 0.2, 0.2].map(Math.fround));
    expect(Array.from(scene.mean.subarray(0, 4))).toEqual([0, 0, 0.4, 0.4].map(Math.fround));
    expect(Array.from(scene.own)).toEqual([0.2, 0.6].map(Math.fround));
  });

  test("of ranks are never put together", () => {
    const ranks = { ...steps, kind: "ordered", levels: Array.from(steps.grid, String) } as CurvesBody;
    expect(sceneOf(ranks, "d-ice", "min").nBins).toBeNull();
  });
});
