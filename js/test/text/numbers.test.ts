import { format } from "d3-format";
import { randomLcg } from "d3-random";
import { describe, expect, it, test } from "vitest";
import {
  alignedTexts,
  cellText,
  columnFormat,
  count,
  figureFormat,
  isNothing,
  keptText,
  number,
  plural,
  reachText,
  tickExponents,
} from "../../src/text/numbers.ts";

test.each([
  [0, "0"],
  [0.123456, "0.123"],
  [12345, "12,345"],
  [1234.5, "1,235"],
  [-2.5, "−2.5"],
  [0.00001234, "1.23e−5"],
  [123456789, "1.23e8"],
  [Number.NaN, "–"],
])("%d reads %s", (value, text) => {
  expect(number(value)).toBe(text);
});

test.each([
  ["-1.067e-06", "−1.067e−6"],
  ["2.5e+06", "2.5e6"],
  ["-3", "−3"],
  ["2023-12-10", "2023-12-10"],
  ["a-1", "a-1"],
])("the cell %s reads %s", (cell, text) => {
  expect(cellText(cell)).toBe(text);
});

test("numbers of every size are written as d3-format writes them", () => {
  const random = randomLcg(0.7);
  const [grouped, significant, exponential] = [format(","), format(",.4~r"), format(".3~e")];
  for (let i = 0; i < 5000; i++) {
    const value = (random() - 0.5) * 10 ** (30 * random() - 15);
    const size = Math.abs(value);
    const inDigits = exponential(value).replace("e+", "e").replace("e-", "e−");
    expect(number(value, 0, 4)).toBe(size < 1e-4 || size >= 1e7 ? inDigits : significant(value));
    const largest = Math.min(1e5, Math.max(1e-4, size));
    const decimals = Math.max(0, 2 - Math.floor(Math.log10(largest)));
    expect(columnFormat(largest)(Math.min(1e6, value))).toBe(format(`,.${decimals}f`)(Math.min(1e6, value)));
    const n = Math.round(value % 1e9);
    expect(count(n)).toBe(grouped(n));
  }
});

test("figures of one column share their decimals; very small ones have exponents", () => {
  const write = columnFormat(0.2211);
  expect([write(0.2211), write(0.004), write(0), write(Number.NaN)]).toEqual(["0.221", "0.004", "0.000", "–"]);
  expect(columnFormat(1234.5)(1234.5)).toBe("1,235");
  expect(columnFormat(0)(0)).toBe("0");
  expect(columnFormat(3e-9)(3e-9)).toBe("3.00e−9");
});

test("figures that round to 0 are written as smaller than the last digit, and 0 as 0", () => {
  const write = figureFormat(0.2211);
  expect([0.2211, 0.004, 0.0004, 1e-14, 0, Number.NaN].map(write)).toEqual([
    "0.221",
    "0.004",
    "< 0.001",
    "0",
    "0",
    "–",
  ]);
  expect([0.3, 0.6].map(figureFormat(1243))).toEqual(["< 1", "1"]);
  expect(["< 0.001", "0", "0\u00a0%", "0.004", "–"].map(isNothing)).toEqual([true, true, true, false, false]);
});

test("how much of the weight a decay keeps is said unless that is not computed or all, and marked where interpolated", () => {
  expect(keptText(0.75, 0.624, false)).toBe("62\u00a0% of the weight kept");
  expect(keptText(0.01, 0.0021, false)).toBe("<\u00a01\u00a0% of the weight kept");
  expect(keptText(0.755, 0.62, true)).toBe("≈ 62\u00a0% of the weight kept");
  expect([keptText(0.75, Number.NaN, false), keptText(1, 1, false)]).toEqual(["", ""]);
  expect(reachText(0.001, "marginal", false)).toBe("a value 0.1 SD from the observed one counts half");
});

test("one line, two lines", () => {
  expect([plural(1, "line"), plural(2, "line"), plural(1000, "line")]).toEqual(["1 line", "2 lines", "1,000 lines"]);
});

test("ticks have exponents where zeros would have to be counted, and none where digits tell them apart", () => {
  const write = tickExponents(2.5e-12, 5e-13)!;
  expect([-2.5e-12, 0, 5e-13].map(write)).toEqual(["−2.5e−12", "0", "5e−13"]);
  expect(tickExponents(4e12, 1e12)!(4e12)).toBe("4e12");
  expect(tickExponents(2e6, 5e5)).toBeNull();
  expect(tickExponents(0.0004, 0.0001)).toBeNull();
  expect(tickExponents(1e9 + 3, 1)).toBeNull();
  expect(tickExponents(5, Number.NaN)).toBeNull();
});

test("the rounding of sums is no figure", () => {
  expect([number(3.3e-16, 1), number(-1.8e-2, 1.6e12), number(3.3e-16), number(1e-5, 1)]).toEqual([
    "0",
    "0",
    "3.3e−16",
    "1e−5",
  ]);
  const write = columnFormat(7e-13);
  expect([write(7e-13), write(5e-27), write(0)]).toEqual(["7.00e−13", "0", "0"]);
});

describe("alignedTexts", () => {
  it("gives numbers of a column as many decimals each and a minus sign", () => {
    expect(alignedTexts(["2186", "-157.03", "", "4.5"])).toEqual(["2186.00", "−157.03", "", "4.50"]);
    expect(alignedTexts(["1", "-20"])).toEqual(["1", "−20"]);
  });

  it("cuts decimals after six digits of the largest number", () => {
    expect(alignedTexts(["0.123456789", "12.5"])).toEqual(["0.1235", "12.5000"]);
    expect(alignedTexts(["1234567.25", "0"])).toEqual(["1234567", "0"]);
  });

  it("leaves other texts as they are", () => {
    expect(alignedTexts(["-a", "1.5"])).toEqual(["-a", "1.5"]);
    expect(alignedTexts(["1e-7", "2"])).toEqual(["1e-7", "2"]);
  });
});
