/** Which levels the legend hides, and what is remembered of it. */
import { expect, test } from "vitest";
import { hiddenBy, onlyLevel, toggledLevel } from "../../src/state/filters.ts";
import type { CategoryColors, ContinuousColors } from "../../src/wire/protocol.ts";

const ward: CategoryColors = {
  column: "ward",
  kind: "category",
  ordered: false,
  values: null,
  levels: ["a", "b", "c"],
  counts: [],
};
const bmi: ContinuousColors = {
  column: "bmi",
  kind: "continuous",
  of: "numeric",
  domain: [20, 40],
  levels: null,
  median: 0,
  clock: [],
};

test("a level is hidden by name, and shown again; missing values are a level of their own", () => {
  const hidden = toggledLevel(ward, null, 1);
  expect(hidden).toEqual({ hidden: ["b"] });
  expect(toggledLevel(ward, hidden, 1)).toBeNull();
  const filter = toggledLevel(ward, null, Number.NaN)!;
  expect(filter).toEqual({ hidden: [null] });
  expect([Number.NaN, 0].map((level) => hiddenBy({ ward: filter }, ward).has(level))).toEqual([true, false]);
});

test("only one level is shown, and all where that is so already", () => {
  const only = onlyLevel(ward, { hidden: ["c"] }, 2);
  expect(only).toEqual({ hidden: ["a", "b", null] });
  expect(onlyLevel(ward, only, 2)).toBeNull();
});

test("a filter of another kind of colouring, of another column, or of a name that is no level any more hides nothing", () => {
  expect(hiddenBy({ bmi: { hidden: ["a"] } }, bmi).size).toBe(0);
  expect(hiddenBy({ other: { hidden: ["a"] } }, ward).size).toBe(0);
  expect(hiddenBy({ ward: { hidden: ["a"] } }, null).size).toBe(0);
  expect(hiddenBy({ ward: { hidden: ["gone"] } }, ward).size).toBe(0);
});
