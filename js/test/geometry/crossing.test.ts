/** Which lines pass through a range at one place, and the means of groups. */
import { describe, expect, test } from "vitest";
import { groupMeans, heightAt, linesBetween, pointAt } from "../../src/geometry/crossing.ts";

/** Three lines of three points. */
const values = Float32Array.of(0, 1, 2, 2, 1, 0, 5, Number.NaN, 5);

describe("a place among the points", () => {
  test("is a fractional index", () => {
    expect(pointAt([10, 20, 40], 30)).toBe(1.5);
    expect(pointAt([10, 20, 40], 10)).toBe(0);
    expect(pointAt([10, 20, 40], 40)).toBe(2);
  });

  test("is none beside them", () => {
    expect(pointAt([10, 20, 40], 9)).toBeNull();
    expect(pointAt([10, 20, 40], 41)).toBeNull();
    expect(pointAt([], 0)).toBeNull();
  });

  test("of a single value, and on a vertical step, is its first point", () => {
    expect(pointAt([3], 3)).toBe(0);
    expect(pointAt([3, 3], 3)).toBe(0);
  });
});

test("lines between two heights are found at a point and between points, both ends counted", () => {
  expect(linesBetween(values, 3, 0, 0, 2)).toEqual([0, 1]);
  expect(linesBetween(values, 3, 0.5, 0.5, 0.5)).toEqual([0]);
  expect(heightAt(values, 3, 1, 0.5)).toBe(1.5);
});

test("a line that is broken there is not found", () => {
  expect(linesBetween(values, 3, 1, -100, 100)).toEqual([0, 1]);
});

test("each group has the mean of its lines; lines without a group count nowhere", () => {
  const lines = Float32Array.of(0, 2, 4, 6, 100, 100, 7, 7);
  const [first, second, none] = groupMeans(lines, 2, Float32Array.of(0, 0, Number.NaN, 1), 3);
  expect(first).toEqual({ values: Float32Array.of(2, 4), n: 2 });
  expect(second).toEqual({ values: Float32Array.of(7, 7), n: 1 });
  expect(none!.n).toBe(0);
});
