/** Buffers and tables; `contract.test.ts` and `fuzz.test.ts` have whole replies. */
import fc from "fast-check";
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
import type { CurvesBody } from "../../src/wire/protocol.ts";
import { bytes, type Reply, repliesTo } from "../replies.ts";

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

test("a buffer of the wrong length, and a missing one, are named", () => {
  const [reply] = repliesTo<Reply<CurvesBody>>("curves");
  const { body, buffers } = reply!;
  const whole = buffers.map(bytes);
  expect(() => decodeCurves(body, whole.slice(0, 11))).toThrow("The reply lacks its buffer 11 (distances).");
  const wrong = whole.with(6, new DataView(new ArrayBuffer(4)));
  const wanted = `partial_dependence must have ${body.n_grid} values; got 1.`;
  expect(() => decodeCurves(body, wrong)).toThrow(wanted);
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

const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const figure = fc.double({ min: -100, max: 100, noNaN: true }).map(Math.fround);
const decays = { first: 0.5, step: 0.25, count: 3 };

test("between steps of the decay, the nearer one counts more, and the figure is said to be an estimate", () => {
  fc.assert(
    fc.property(
      fc.array(figure, { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 0, max: 1 }),
      share,
      (all, at, part) => {
        const table = new DecayProfile(["support"], 1, decays, Float32Array.from(all));
        const decay = 0.5 + 0.25 * (at + part);
        expect(table.get("support", 0, decay)).toBeCloseTo((1 - part) * all[at]! + part * all[at + 1]!, 9);
        expect(table.estimated(decay)).toBe(true);
      },
    ),
  );
});

test("below the first step its figures stand in as estimates; a figure that the table lacks is NaN", () => {
  const table = new DecayProfile(["support"], 1, decays, Float32Array.of(1, 2, 3));
  expect([table.get("support", 0, 0.001), table.estimated(0.001)]).toEqual([1, true]);
  expect([table.get("support", 0, 0.75), table.estimated(0.75)]).toEqual([2, false]);
  expect(table.get("step_in_distribution_impact", 0, 0.5)).toBeNaN();
});

test("colours along a ramp keep a date to the minute", () => {
  const ramp = { column: "seen", kind: "continuous", of: "datetime", levels: null } as const;
  const body = { ...ramp, domain: [20000, 20001], median: 20000, clock: [] as [number, number][] } as const;
  const minute = 20000 + 1 / 1440;
  expect(decodeColors({ ...body, domain: [20000, 20001] }, [Float64Array.of(minute)], 1).values[0]).toBe(minute);
});
