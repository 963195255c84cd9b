/** Arrays and tables; `contract.test.ts` and `fuzz.test.ts` have whole replies. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { unpacked } from "../../src/wire/arrays.ts";
import { DecayProfile, ImpactTable } from "../../src/wire/tables.ts";

function inside(source: ArrayBufferView, offset: number): DataView {
  const message = new Uint8Array(offset + source.byteLength + 5).fill(255);
  message.set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength), offset);
  return new DataView(message.buffer, offset, source.byteLength);
}

test.each([0, 1, 3, 4, 8])("numbers are read from %i bytes into a message", (offset) => {
  const sent = {
    few: Float32Array.of(1.5, -2, Number.NaN),
    many: [Float64Array.of(0.1, -1e300), Uint8Array.of(0, 255)],
    whole: { counts: Uint32Array.of(0, 4294967295), none: new Float32Array(0) },
  };
  const packed = {
    few: { dtype: "float32", shape: [3], buffer: 0 },
    many: [
      { dtype: "float64", shape: [2, 1], buffer: 1 },
      { dtype: "uint8", shape: [2], buffer: 2 },
    ],
    whole: { counts: { dtype: "uint32", shape: [2], buffer: 3 }, none: { dtype: "float32", shape: [0, 2], buffer: 4 } },
    name: null,
  };
  const arrays = [sent.few, ...sent.many, sent.whole.counts, sent.whole.none];
  expect(
    unpacked(
      packed,
      arrays.map((array) => inside(array, offset)),
    ),
  ).toEqual({ ...sent, name: null });
});

test("a reply that lacks numbers is told of", () => {
  const packed = { grid: { dtype: "float64", shape: [2], buffer: 1 } };
  expect(() => unpacked(packed, [new ArrayBuffer(16)])).toThrow("The reply lacks the numbers of its buffer 1.");
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
  expect(table.get("in_distribution_impact", 0, 0.5)).toBeNaN();
});
