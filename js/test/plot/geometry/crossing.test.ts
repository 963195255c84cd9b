/** Which lines pass through a range at one place, and the means of groups. */
import { expect, test } from "vitest";
import { groupMeans, heightAt, linesBetween, pointAt } from "../../../src/plot/geometry/crossing.ts";

/** Three lines of three points. */
const values = Float32Array.of(0, 1, 2, 2, 1, 0, 5, Number.NaN, 5);

test.each([
  ["is a fractional index", [10, 20, 40], [10, 30, 40], [0, 1.5, 2]],
  ["is none beside them", [10, 20, 40], [9, 41], [null, null]],
  ["is none where there are none", [], [0], [null]],
  ["of a single value is its first point", [3], [3], [0]],
  ["on a vertical step is its first point", [3, 3], [3], [0]],
])("a place among the points %s", (_name, points, values, places) => {
  expect(values.map((value) => pointAt(points, value))).toEqual(places);
});

test("lines between two heights are found at a point and between points, both ends counted; a broken one is not", () => {
  expect(linesBetween(values, 3, 0, 0, 2)).toEqual([0, 1]);
  expect(linesBetween(values, 3, 0.5, 0.5, 0.5)).toEqual([0]);
  expect(heightAt(values, 3, 1, 0.5)).toBe(1.5);
  expect(linesBetween(values, 3, 1, -100, 100)).toEqual([0, 1]);
});

test("each group has the mean of its lines; lines without a group count nowhere", () => {
  const lines = Float32Array.of(0, 2, 4, 6, 100, 100, 7, 7);
  const [first, second, none] = groupMeans(lines, 2, Float32Array.of(0, 0, Number.NaN, 1), 3);
  expect(first).toEqual({ values: Float32Array.of(2, 4), n: 2 });
  expect(second).toEqual({ values: Float32Array.of(7, 7), n: 1 });
  expect(none!.n).toBe(0);
});
