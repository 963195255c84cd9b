/** One axis of which a part shows. */
import { expect, test } from "vitest";
import { heldTo, isWhole, movedBy, type Span, zoomedAround } from "../../src/geometry/zoom.ts";

const full: Span = [10, 110];

test("zooming keeps what is under the pointer where it is", () => {
  const [from, to] = zoomedAround([10, 110], 35, 0.5, full);
  expect([from, to]).toEqual([22.5, 72.5]);
  expect((35 - from) / (to - from)).toBeCloseTo((35 - 10) / 100, 12);
});

test("zooming out ends at the whole axis, whatever the pointer is over", () => {
  const span = zoomedAround([100, 110], 110, 1e6, full);
  expect(span).toEqual(full);
  expect(isWhole(span, full)).toBe(true);
});

test("zooming in ends at a five-hundredth of the axis", () => {
  const [from, to] = zoomedAround([50, 60], 55, 1e-9, full);
  expect(to - from).toBeCloseTo(0.2, 12);
  expect((from + to) / 2).toBeCloseTo(55, 12);
});

test("moving stops at the ends and keeps the length", () => {
  expect(movedBy([20, 40], 0.5, full)).toEqual([30, 50]);
  expect(movedBy([20, 40], -3, full)).toEqual([10, 30]);
  expect(movedBy([80, 100], 9, full)).toEqual([90, 110]);
});

test("a span of another axis is brought onto this one", () => {
  expect(heldTo([-50, -40], full)).toEqual([10, 20]);
  expect(heldTo([0, 1000], full)).toEqual(full);
});
