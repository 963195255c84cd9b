import { expect, test } from "vitest";
import { rgbOf } from "../../src/geometry/palette.ts";
import { SIDES, splitPalette } from "../../src/geometry/split_palette.ts";
import { isSplit, splitColors, splitOf, unsplit } from "../../src/store/two_sides.ts";
import type { LineColors } from "../../src/wire/decode.ts";
import type { DriverBody } from "../../src/wire/protocol.ts";

const numbers: LineColors = {
  scale: { column: "rm", kind: "continuous", of: "numeric", domain: [4, 8], median: 6.2, levels: null, clock: [] },
  values: Float64Array.of(5, 6.2, 6.4, 7, Number.NaN),
};
const towns: LineColors = {
  scale: {
    column: "town",
    kind: "category",
    ordered: false,
    levels: ["Oslo", "Rome", "Ur"],
    values: null,
    counts: [2, 1, 1],
  },
  values: Float64Array.of(0, 1, 2, 0),
};
const visits: LineColors = {
  scale: {
    column: "visits",
    kind: "category",
    ordered: true,
    levels: ["1", "4", "9"],
    values: [1, 4, 9],
    counts: [1, 1, 1],
  },
  values: Float64Array.of(2, 1, 0),
};
const driver = (of: Partial<DriverBody>): DriverBody => ({
  column: "rm",
  share: 0.47,
  rule: "rm > 6.4",
  n_rule: 3,
  n_rest: 3,
  threshold: null,
  levels: null,
  sides: ["rm ≤ 6.4", "rm > 6.4"],
  ...of,
});

test("the median parts numbers in two, and what is missing is a third", () => {
  const { scale, values } = splitColors(numbers, "median");
  expect(Array.from(values)).toEqual([0, 0, 1, 1, 2]);
  expect(scale).toMatchObject({
    column: "rm",
    kind: "category",
    levels: ["rm ≤ 6.2", "rm > 6.2", "missing"],
    counts: [2, 2, 1],
  });
  expect(isSplit(scale)).toBe(true);
  expect(unsplit(scale)).toBe(numbers.scale);
});

test("a rule parts numbers at its threshold, which itself is below", () => {
  const { scale, values } = splitColors(numbers, driver({ threshold: 6.4 }));
  expect(Array.from(values)).toEqual([0, 0, 0, 1, 2]);
  expect(scale).toMatchObject({ levels: ["rm ≤ 6.4", "rm > 6.4", "missing"] });
});

test("a rule parts levels by their names, and ordered ones by where they stand", () => {
  const sides: [string, string] = ["town not in Rome, Ur", "town in Rome, Ur"];
  const { scale, values } = splitColors(towns, driver({ levels: ["Rome", "Ur"], sides }));
  expect(Array.from(values)).toEqual([0, 1, 1, 0]);
  expect(scale).toMatchObject({ levels: sides, counts: [2, 2] });
  expect(Array.from(splitColors(visits, driver({ threshold: 3.5 })).values)).toEqual([1, 1, 0]);
});

test("where there is nothing to split at, colours stay as they are", () => {
  expect(splitColors(towns, "median")).toBe(towns);
  expect(splitColors(numbers, null)).toBe(numbers);
  expect(splitColors(towns, driver({ threshold: 1 }))).toBe(towns);
  expect(splitColors(numbers, driver({ levels: ["a"] }))).toBe(numbers);
});

test("a column is parted by its own rule, two together by all of theirs, and one without any is not", () => {
  const drivers = [driver({ column: "age" }), driver({})];
  const combined = { columns: ["age", "rm"], share: 0.8, rules: [{ rule: "age > 6", n_rows: 4 }] };
  const body = { feature: "tax", lead: "", drivers, combined, n_rows: 5, n_curves: 5 };
  expect(splitOf("driver", "rm", body)).toBe(drivers[1]);
  expect(splitOf("driver", "tax", body)).toBeNull();
  expect(splitOf("driver", null, body)).toBeNull();
  expect(splitOf("value", "rm", body)).toBeNull();
  expect(splitOf("median", "rm", body)).toBe("median");
  expect(splitOf("together", null, body)).toEqual({ feature: "tax", ...combined });
  expect(splitOf("together", "rm", { ...body, combined: { columns: [], share: 0, rules: [] } })).toBeNull();
  expect(splitOf("together", "rm", null)).toBeNull();
  expect(splitOf("driver", "rm", null)).toBeNull();
});

function luminance(hex: string): number {
  const [r, g, b] = rgbOf(hex).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

test.each([
  ["light", "#ffffff"],
  ["dark", "#111111"],
] as const)("both sides stand out 4.5 : 1 in the %s theme", (theme, paper) => {
  for (const side of SIDES[theme]) {
    const [one, other] = [luminance(side), luminance(paper)].sort((a, b) => b - a);
    expect((one! + 0.05) / (other! + 0.05)).toBeGreaterThanOrEqual(4.5);
  }
  expect(splitPalette(theme).colors.length).toBe(9);
});
