import { expect, test } from "vitest";
import { atEdge, inView, revealing } from "../../src/elements/visible_rows.ts";

test("rows in view exist, and some beyond either edge", () => {
  expect(inView(2400, 480, 24, 2000, 4)).toEqual({ first: 96, end: 124 });
  expect(inView(2412, 480, 24, 2000, 4)).toEqual({ first: 96, end: 125 });
});

test("neither end of the list is passed", () => {
  expect(inView(0, 480, 24, 2000, 4)).toEqual({ first: 0, end: 24 });
  expect(inView(47520, 480, 24, 2000, 4)).toEqual({ first: 1976, end: 2000 });
  expect(inView(0, 480, 24, 3, 4)).toEqual({ first: 0, end: 3 });
  expect(inView(0, 480, 24, 0, 4)).toEqual({ first: 0, end: 0 });
});

test("a list that got shorter is seen at its end, as the browser shows it", () => {
  expect(inView(47520, 480, 24, 30, 4)).toEqual({ first: 6, end: 30 });
});

test("rows come from and go to just beyond the edge", () => {
  const range = { first: 10, end: 20 };
  expect([0, 9, 12, 20, 900].map((place) => atEdge(range, place))).toEqual([9, 9, 12, 20, 20]);
});

test("the list scrolls no further than a row needs", () => {
  expect(revealing(5, 240, 480, 24)).toBe(120);
  expect(revealing(12, 240, 480, 24)).toBe(240);
  expect(revealing(40, 240, 480, 24)).toBe(504);
});
