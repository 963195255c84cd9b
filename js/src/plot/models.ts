/** The curves of several models as one scene: the same rows once for each model, those of the open one first. */
import type { Hidden } from "../state/filters.ts";
import type { CurvesBody } from "../wire/protocol.ts";
import type { Layout } from "./layout.ts";
import type { Scene } from "./scene.ts";

/** Of one model of several. */
export interface ModelScene {
  /** Its place among the models, and so its colour. */
  model: number;
  scene: Scene;
}

const joined = (parts: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

const shifted = (values: Float32Array, by: number): Float32Array =>
  by === 0 ? values : values.map((value) => value + by);

/** The same array as often as there are models. */
function repeated<T extends Uint32Array | Float64Array | Float32Array>(values: T, times: number): T {
  const all = new (values.constructor as new (length: number) => T)(values.length * times);
  for (let time = 0; time < times; time++) all.set(values, time * values.length);
  return all;
}

/** The curves of the open model with what each line of the others needs; what is of all rows stays that of the open one. */
function stackedCurves(all: readonly CurvesBody[]): CurvesBody {
  const [open] = all as [CurvesBody, ...CurvesBody[]];
  const n = all.length;
  const lines = (of: (curves: CurvesBody) => Float32Array) =>
    joined(all.map((curves) => shifted(of(curves), curves.offset - open.offset)));
  const lowest = Math.min(...all.map(({ prediction_range: predictionRange }) => predictionRange[0]));
  const highest = Math.max(...all.map(({ prediction_range: predictionRange }) => predictionRange[1]));
  return {
    ...open,
    n_lines: n * open.n_lines,
    prediction_range: [lowest, highest],
    row_labels: open.row_labels && all.flatMap(() => open.row_labels!),
    positions: repeated(open.positions, n),
    observed: repeated(open.observed, n),
    likelihood_scale: repeated(open.likelihood_scale, n),
    predictions: lines(({ predictions }) => predictions),
    values: lines(({ values }) => values),
    distances: open.distances && repeated(open.distances, n),
    missing: open.missing && { ...open.missing, values: lines(({ missing }) => missing!.values) },
    at_own: open.at_own && lines(({ at_own: atOwn, predictions }) => atOwn ?? predictions),
  };
}

/** One scene of all lines; its mean and band stay those of the open model. */
export function stackedScene(all: readonly ModelScene[]): Scene {
  const [{ scene: open }] = all as [ModelScene, ...ModelScene[]];
  const lines = (of: (scene: Scene) => Float32Array) =>
    joined(all.map(({ scene }) => shifted(of(scene), scene.base - open.base)));
  const ends = all.map(({ scene: { extent, base } }) => extent.map((end) => end + base - open.base));
  return {
    ...open,
    curves: stackedCurves(all.map(({ scene }) => scene.curves)),
    values: lines(({ values }) => values),
    own: lines(({ own }) => own),
    missing: open.missing && { ...open.missing, values: lines(({ missing }) => missing!.values) },
    extent: [Math.min(...ends.map(([low]) => low!)), Math.max(...ends.map(([, high]) => high!))],
    models: all.map(({ model, scene: { base, mean, missing } }) => ({
      model,
      mean: shifted(mean, base - open.base),
      missing: missing && missing.mean + base - open.base,
    })),
  };
}

/** How many lines of a scene are of one model. */
export const linesPerModel = ({ curves, models }: Pick<Scene, "curves" | "models">): number =>
  curves.n_lines / (models?.length ?? 1);

/** The drawn lines of a row: one for each model that the legend does not hide. */
export function linesOfRow({ scene, lines }: Pick<Layout, "scene" | "lines">, row: number, hidden: Hidden): number[] {
  const line = scene.curves.positions.indexOf(row);
  if (line === -1 || scene.models === null) return line === -1 ? [] : [line];
  const n = linesPerModel(scene);
  return scene.models.map((_, place) => line + place * n).filter((each) => !hidden.has(lines.color[each]!));
}

/** A line for each row: of several models, those of the first that has any of these lines. */
export function rowLines({ scene }: Pick<Layout, "scene">, order: Uint32Array): Uint32Array {
  if (scene.models === null) return order;
  const n = linesPerModel(scene);
  const first = Math.min(...order.map((line) => Math.floor(line / n))) * n;
  return order.filter((line) => line < first + n);
}
