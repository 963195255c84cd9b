/** What a kind of picture shows of some curves, still in the units of the data. */
import { describe, expect, test } from "vitest";
import type { Curves } from "../src/decode.ts";
import { sceneOf, standIns } from "../src/marks/curves/scene.ts";

/** Two rows at three levels: the first has level 1, the second lacks the value. */
const town: Curves = {
  feature: "town",
  kind: "category",
  levels: ["a", "b", "c"],
  nLines: 2,
  nGrid: 3,
  nObservations: 2,
  offset: 100,
  predictionRange: [100, 106],
  rowLabels: null,
  median: 2,
  positions: Uint32Array.of(0, 1),
  observed: Float64Array.of(1, Number.NaN),
  likelihoodScale: Float64Array.of(1, 1),
  predictions: Float32Array.of(2, 0.5),
  grid: Float64Array.of(0, 1, 2),
  values: Float32Array.of(1, 2, 3, 4, 5, 6),
  partialDependence: Float32Array.of(2.5, 3.5, 4.5),
  spread: Float32Array.of(1.5, 1.5, 1.5),
  histogramEdges: Float64Array.of(-0.5, 0.5, 1.5, 2.5),
  histogramCounts: Float64Array.of(0, 1, 0),
  missing: { count: 1, mean: 101, spread: 0.5, values: Float32Array.of(1.5, 0.5) },
  distances: Float32Array.of(1, 0, 1, 1, 1, 0),
  target: null,
  atOwn: null,
};

describe("levels", () => {
  test("show predictions, and beside the axis those with the value missing", () => {
    const scene = sceneOf(town, "ice", "min");
    expect(scene.onLevels).toBe(true);
    expect(scene.missing).toEqual({ values: Float32Array.of(1.5, 0.5), mean: 1, low: 0.5, high: 1.5 });
    expect(scene.own).toEqual(Float32Array.of(2, 0.5));
    expect(scene.extent).toEqual([0.5, 6]);
  });

  test("are centred at a level, what is missing with them", () => {
    const scene = sceneOf(town, "c-ice", 1);
    expect(scene.values).toEqual(Float32Array.of(-1, 0, 1, -1, 0, 1));
    expect(scene.anchoredAt).toBe(1);
    expect(scene.missing).toEqual({ values: Float32Array.of(-0.5, -4.5), mean: -2.5, low: -4.5, high: -0.5 });
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
    const off = { ...town, observed: Float64Array.of(-1, 0), missing: null, atOwn: Float32Array.of(2, 4) };
    const scene = sceneOf(off, "c-ice", "own");
    expect(scene.values).toEqual(Float32Array.of(-1, 0, 1, 0, 1, 2));
    expect(scene.own).toEqual(Float32Array.of(0, 0));
    expect(sceneOf(off, "c-ice", "min").values).toEqual(Float32Array.of(0, 1, 2, 0, 1, 2));
  });

  test("a level without curves is stood in for by the most frequent one", () => {
    expect(standIns({ ...town, observed: Float64Array.of(-1, 0) })).toEqual(Float64Array.of(2, 0));
  });
});
