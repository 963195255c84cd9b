import { expect, test } from "vitest";
import {
  DecayProfile,
  decodeColors,
  decodeCurves,
  float32,
  float64,
  ImpactTable,
  uint32,
} from "../../src/wire/decode.ts";
import type { Bytes, CurvesBody } from "../../src/wire/protocol.ts";

function inside(source: ArrayBufferView, offset: number): DataView {
  const message = new Uint8Array(offset + source.byteLength + 5).fill(255);
  message.set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength), offset);
  return new DataView(message.buffer, offset, source.byteLength);
}

test.each([0, 1, 3, 4, 8])("numbers are read from %i bytes into a message", (offset) => {
  expect(float32(inside(Float32Array.of(1.5, -2, Number.NaN), offset))).toEqual(Float32Array.of(1.5, -2, Number.NaN));
  expect(float64(inside(Float64Array.of(0.1, -1e300), offset))).toEqual(Float64Array.of(0.1, -1e300));
  expect(uint32(inside(Uint32Array.of(0, 4294967295), offset))).toEqual(Uint32Array.of(0, 4294967295));
});

test("aligned bytes are not copied", () => {
  const view = inside(Float32Array.of(1, 2), 8);
  expect(float32(view).buffer).toBe(view.buffer);
});

test("no bytes are no numbers", () => {
  expect(float32(new DataView(new ArrayBuffer(0)))).toEqual(new Float32Array(0));
});

test("bytes that are no whole number of values are refused", () => {
  expect(() => float32(new ArrayBuffer(6))).toThrow("Float32Array needs a multiple of 4 bytes; got 6.");
});

const body: CurvesBody = {
  feature: "Age",
  kind: "numeric",
  levels: null,
  clock: [],
  missing: null,
  n_lines: 2,
  n_grid: 3,
  n_observations: 9,
  offset: 100,
  prediction_range: [98, 103],
  row_labels: null,
  median: 40,
};

function buffers(): Bytes[] {
  return [
    Uint32Array.of(0, 7),
    Float64Array.of(30, 50),
    Float64Array.of(5, 5),
    Float32Array.of(0.5, -0.5),
    Float64Array.of(20, 40, 60),
    Float32Array.of(1, 2, 3, 4, 5, 6),
    Float32Array.of(2.5, 3.5, 4.5),
    Float32Array.of(1, 1, 1),
    Float64Array.of(20, 60),
    Float64Array.of(9),
    new Float32Array(0),
    new Float32Array(0),
    Float64Array.of(1, Number.NaN),
    Float32Array.of(1.5, 4.5),
  ];
}

test("curves are decoded buffer by buffer", () => {
  const curves = decodeCurves(
    body,
    buffers().map((bytes) => inside(bytes as ArrayBufferView, 3)),
  );
  expect(curves).toMatchObject({ feature: "Age", nLines: 2, nGrid: 3, offset: 100, median: 40, rowLabels: null });
  expect(Array.from(curves.positions)).toEqual([0, 7]);
  expect(Array.from(curves.values)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(Array.from(curves.histogramEdges)).toEqual([20, 60]);
});

test("a buffer of the wrong length is named", () => {
  const wrong = buffers();
  wrong[6] = Float32Array.of(1);
  expect(() => decodeCurves(body, wrong)).toThrow("partial_dependence must have 3 values; got 1.");
});

test("a missing buffer is named", () => {
  expect(() => decodeCurves(body, buffers().slice(0, 11))).toThrow("The reply lacks its buffer 11 (distances).");
});

test("figures are found by feature and metric, and are NaN where unknown", () => {
  const table = new ImpactTable(["impact", "direction"], Float32Array.of(1, -1, 2, Number.NaN));
  expect([table.get(1, "impact"), table.get(0, "direction")]).toEqual([2, -1]);
  expect([table.get(1, "direction"), table.get(0, "heterogeneity"), table.get(5, "impact")]).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});

const steps = { first: 0.01, step: 0.01, count: 100 };
const ramp = Float32Array.from({ length: 400 }, (_, z) => z);
const profile = new DecayProfile(["in_distribution_impact", "support"], 2, steps, ramp);

test("every step of the decay is read from the table as it is", () => {
  for (let step = 0; step < 100; step++) {
    const decay = Number((0.01 * (step + 1)).toFixed(2));
    expect(profile.get("in_distribution_impact", 1, decay)).toBe(100 + step);
    expect(profile.get("support", 0, decay)).toBe(200 + step);
    expect(profile.estimated(decay)).toBe(false);
  }
});

test("between steps figures are interpolated, and said to be", () => {
  expect(profile.get("in_distribution_impact", 0, 0.755)).toBeCloseTo(74.5, 9);
  expect(profile.estimated(0.755)).toBe(true);
});

test("a figure that the table lacks is NaN at every decay", () => {
  expect(profile.get("stable_in_distribution_impact", 0, 0.5)).toBeNaN();
});

test("below the first step its figures stand in, and are said to be estimates", () => {
  expect(profile.get("support", 1, 0.001)).toBe(300);
  expect(profile.estimated(0.001)).toBe(true);
});

test("what was observed goes with the rows, or is not there", () => {
  const bytes = buffers();
  expect(decodeCurves(body, bytes).target).toEqual(Float64Array.of(1, Number.NaN));
  bytes[12] = new Float64Array(0);
  expect(decodeCurves(body, bytes).target).toBeNull();
  bytes[12] = new Float64Array(1);
  expect(() => decodeCurves(body, bytes)).toThrow("target must have 2 values; got 1.");
});

test("predictions at own values are there where the curves do not tell them", () => {
  const bytes = buffers();
  expect(decodeCurves(body, bytes).atOwn).toEqual(Float32Array.of(1.5, 4.5));
  bytes[13] = new Float32Array(0);
  expect(decodeCurves(body, bytes).atOwn).toBeNull();
  bytes[13] = new Float32Array(1);
  expect(() => decodeCurves(body, bytes)).toThrow("at_own must have 2 values; got 1.");
});

test("levels bring their names, how far they are from each row's own, and what is predicted where they are missing", () => {
  const levels: CurvesBody = {
    ...body,
    kind: "category",
    levels: ["a", "b", "c"],
    missing: { count: 4, mean: 101, spread: 2 },
  };
  const bytes = buffers();
  bytes[10] = Float32Array.of(1.5, 2.5);
  bytes[11] = Float32Array.of(0, 1, 1, 0.5, 0, 1);
  const curves = decodeCurves(levels, bytes);
  expect(curves.levels).toEqual(["a", "b", "c"]);
  expect(curves.missing).toEqual({ count: 4, mean: 101, spread: 2, values: Float32Array.of(1.5, 2.5) });
  expect(curves.distances).toEqual(Float32Array.of(0, 1, 1, 0.5, 0, 1));
  expect(() => decodeCurves({ ...levels, levels: ["a"] }, bytes)).toThrow("levels must have 3 values; got 1.");
  bytes[10] = new Float32Array(1);
  expect(() => decodeCurves(levels, bytes)).toThrow("missing must have 2 values; got 1.");
});

test("colours along a ramp keep a date to the minute", () => {
  const ramp = { column: "seen", kind: "continuous", of: "datetime", levels: null } as const;
  const body = { ...ramp, domain: [20000, 20001], median: 20000, clock: [] as [number, number][] } as const;
  const minute = 20000 + 1 / 1440;
  expect(decodeColors({ ...body, domain: [20000, 20001] }, [Float64Array.of(minute)], 1).values[0]).toBe(minute);
});
