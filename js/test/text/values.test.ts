import { describe, expect, test } from "vitest";
import { drawnKind, hasLevels, placeWriterOf, rampEnds, rampWriter, stepOf, writerOf } from "../../src/text/values.ts";

const plain = { grid: [], levels: null };

describe("a value is written as its kind is read", () => {
  test.each([
    ["numeric", 123.5, "123.5"],
    ["boolean", 1, "true"],
    ["boolean", 0, "false"],
    ["datetime", 20000.25, "2024-10-04 06:00"],
    ["numeric", Number.NaN, "missing"],
    ["datetime", Number.NaN, "missing"],
  ] as const)("%s %d is %s", (kind, value, written) => {
    expect(writerOf({ kind, ...plain })(value)).toBe(written);
  });

  test("durations share the unit of their axis", () => {
    const write = writerOf({ kind: "timedelta", grid: [0.01, 0.04], levels: null });
    expect([0.01, 0.5].map(write)).toEqual(["14.4 min", "720 min"]);
  });

  test("years and codes of four digits have no separators; axes that reach 10,000 do", () => {
    const years = writerOf({ kind: "numeric", grid: [2011, 2012], levels: null });
    expect([2011, 2011.5, 9999].map(years)).toEqual(["2011", "2012", "9999"]);
    const counts = writerOf({ kind: "numeric", grid: [0, 2011, 12000], levels: null });
    expect([2011, 12000].map(counts)).toEqual(["2,011", "12,000"]);
  });

  test("levels have their names, also where codes leave gaps, and level 0 is one of them", () => {
    const write = writerOf({ kind: "ordered", grid: Float64Array.of(0, 3), levels: ["low", "high"] });
    expect([0, 3, 1, Number.NaN].map(write)).toEqual(["low", "high", "another level", "missing"]);
  });
});

test("categories and groups have no slopes; ordered ones have", () => {
  expect(drawnKind("d-ice", "category")).toBe("ice");
  expect(drawnKind("d-ice", "group")).toBe("ice");
  expect(drawnKind("d-ice", "ordered")).toBe("d-ice");
  expect(drawnKind("c-ice", "category")).toBe("c-ice");
  expect([hasLevels("ordered"), hasLevels("boolean"), hasLevels("datetime")]).toEqual([true, false, false]);
});

test("a slope is per what lies between two values", () => {
  expect([stepOf("numeric", "x"), stepOf("ordered", "x"), stepOf("timedelta", "x")]).toEqual([
    "unit of x",
    "rank of x",
    "day of x",
  ]);
});

test("the ramp says its ends in the words of the column", () => {
  const clock: [number, number][] = [];
  const ramp = { column: "c", kind: "continuous", domain: [0, 2] as [number, number], median: 1, clock } as const;
  expect(rampEnds({ ...ramp, of: "ordered", levels: ["a", "b", "c"] })).toEqual(["a", "c"]);
  expect(rampWriter({ ...ramp, of: "ordered", levels: ["a", "b", "c"] })(1)).toBe("b");
  expect(rampEnds({ ...ramp, of: "timedelta", levels: null })).toEqual(["0 h", "48 h"]);
  expect(rampEnds({ ...ramp, of: "datetime", domain: [20000, 20100], levels: null })).toEqual([
    "2024-10-04",
    "2025-01-12",
  ]);
});

test("dates are written by the clock of their time zone", () => {
  const tokyo: [number, number][] = [[20000, 9 / 24]];
  const axis = { kind: "datetime", grid: [20000, 20000.625], levels: null, clock: tokyo } as const;
  expect(Array.from(axis.grid, writerOf(axis))).toEqual(["2024-10-04 09:00", "2024-10-05"]);
  expect(placeWriterOf({ ...axis, grid: [20000.625, 23000] })(20000.625)).toBe("2024-10-05");
  const ramp = { column: "c", kind: "continuous", of: "datetime", median: 20000, levels: null } as const;
  expect(rampEnds({ ...ramp, domain: [20000.625, 20100.625], clock: tokyo })).toEqual(["2024-10-05", "2025-01-13"]);
});
