/** Curves parted in two; `drawn.test.ts` has on which side each of them is. */
import { expect, test } from "vitest";
import { isSplit, splitColors, splitOf, unsplit } from "../../src/state/two_sides.ts";
import type { ColorsBody, DriverBody } from "../../src/wire/protocol.ts";

const numbers: ColorsBody = {
  scale: { column: "rm", kind: "continuous", of: "numeric", domain: [4, 8], median: 6.2, levels: null, clock: [] },
  values: Float64Array.of(5, 6.2, 6.4, 7, Number.NaN),
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

test("a column is parted by its own rule, and one without any is not", () => {
  const drivers = [driver({ column: "age" }), driver({})];
  const body = { feature: "tax", lead: "", sentence: [], drivers, n_rows: 5, n_curves: 5 };
  expect(splitOf("driver", "rm", body)).toBe(drivers[1]);
  expect(splitOf("driver", "tax", body)).toBeNull();
  expect(splitOf("driver", null, body)).toBeNull();
  expect(splitOf("value", "rm", body)).toBeNull();
  expect(splitOf("median", "rm", body)).toBe("median");
  expect(splitOf("driver", "rm", null)).toBeNull();
});
