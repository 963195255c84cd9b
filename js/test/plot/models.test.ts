import { expect, test } from "vitest";
import { visibleLines } from "../../src/plot/lines.ts";
import { linesOfRow, linesPerModel, rowLines, stackedScene } from "../../src/plot/models.ts";
import { sceneOf } from "../../src/plot/scene.ts";
import { modelColors } from "../../src/state/models.ts";
import type { CurvesBody, Kind } from "../../src/wire/protocol.ts";
import { curvesOf } from "../curves.ts";

/** Two rows, 7 and 3. */
function rowsOf(offset: number, ...rows: [number[], number[]]): CurvesBody {
  const [first, second] = rows.map((row) => row.map((value) => value - offset)) as [number[], number[]];
  return curvesOf({
    offset,
    prediction_range: [Math.min(...rows.flat()), Math.max(...rows.flat())],
    positions: Uint32Array.of(7, 3),
    predictions: Float32Array.of(first[0]!, second[2]!),
    values: Float32Array.from([...first, ...second]),
    partial_dependence: Float32Array.from(first, (value, k) => (value + second[k]!) / 2),
  });
}

const forest = rowsOf(10, [10, 11, 12], [20, 21, 22]);
const boosting = rowsOf(100, [100, 100, 103], [110, 110, 113]);
/** The second of the models is the open one. */
const scene = (kind: Kind = "ice") =>
  stackedScene([
    { model: 1, scene: sceneOf(boosting, kind, "min") },
    { model: 0, scene: sceneOf(forest, kind, "min") },
  ]);
const linesIn = (color: Float32Array) => {
  const [x, y, opacity] = [new Float64Array(0), new Float32Array(0), new Float32Array(0)];
  return { nLines: color.length, nPoints: 0, x, y, opacity, color };
};
const plot = () => {
  const shown = scene();
  const colors = modelColors(["forest", "boosting"], [1, 0], boosting);
  return { scene: shown, order: Uint32Array.of(3, 0, 2, 1), lines: linesIn(Float32Array.from(colors.values)) };
};
const hiding = (...models: number[]) => new Set(models);

test("lines of all models are what each of them predicts, the open one first", () => {
  const { values, base, models, curves } = scene();
  expect(Array.from(values, (value) => value + base)).toEqual([
    ...[100, 100, 103, 110, 110, 113],
    ...[10, 11, 12, 20, 21, 22],
  ]);
  expect(models?.map(({ model, mean }) => [model, Array.from(mean, (value) => value + base)])).toEqual([
    [1, [105, 105, 108]],
    [0, [15, 16, 17]],
  ]);
  expect(Array.from(curves.positions)).toEqual([7, 3, 7, 3]);
  expect(curves.prediction_range).toEqual([10, 113]);
  expect(curves.feature).toBe("a");
});

test("the axis has room for all of them, and what describes the open model stays its own", () => {
  const { extent, base, mean } = scene();
  expect(extent.map((end) => end + base)).toEqual([10, 113]);
  expect(Array.from(mean, (value) => value + base)).toEqual([105, 105, 108]);
});

test("centred curves of each model are 0 at the anchor", () => {
  const { values, base, models } = scene("c-ice");
  expect(base).toBe(0);
  expect(Array.from(values)).toEqual([0, 0, 3, 0, 0, 3, 0, 1, 2, 0, 1, 2]);
  expect(models?.map(({ mean }) => Array.from(mean))).toEqual([
    [0, 0, 3],
    [0, 1, 2],
  ]);
});

test("a row has a line by each model that the legend does not hide", () => {
  const shown = plot();
  expect(linesPerModel(shown.scene)).toBe(2);
  expect(linesOfRow(shown, 3, hiding())).toEqual([1, 3]);
  expect(linesOfRow(shown, 3, hiding(1))).toEqual([3]);
  expect(linesOfRow(shown, 5, hiding())).toEqual([]);
});

test("what is drawn once for each row is not repeated for each model", () => {
  const shown = plot();
  const rows = (...models: number[]) => Array.from(rowLines(shown, visibleLines(shown, hiding(...models))));
  expect(rows()).toEqual([0, 1]);
  expect(rows(1)).toEqual([3, 2]);
  expect(rows(0, 1)).toEqual([]);
});

test("with one model a row has one line, whatever its colour hides", () => {
  const one = sceneOf(forest, "ice", "min");
  const shown = { scene: one, order: Uint32Array.of(1, 0), lines: linesIn(new Float32Array(2)) };
  expect(one.models).toBeNull();
  expect(linesOfRow(shown, 3, hiding(0))).toEqual([1]);
  expect(Array.from(rowLines(shown, shown.order))).toEqual([1, 0]);
});
