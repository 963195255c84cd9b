import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { throttle } from "../../src/store/throttle.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the first call runs at once, later ones at most once per interval with the last value", () => {
  const heard: number[] = [];
  const throttled = throttle(100, (value: number) => heard.push(value));
  for (let step = 0; step < 25; step++) {
    throttled.call(step);
    vi.advanceTimersByTime(10);
  }
  expect(heard).toEqual([0, 9, 19]);
  vi.advanceTimersByTime(100);
  expect(heard).toEqual([0, 9, 19, 24]);
});

test("flush passes the waiting value on at once, and only once", () => {
  const heard: number[] = [];
  const throttled = throttle(100, (value: number) => heard.push(value));
  throttled.call(1);
  throttled.call(2);
  throttled.flush();
  throttled.flush();
  vi.advanceTimersByTime(500);
  expect(heard).toEqual([1, 2]);
});

test("cancel forgets the waiting value", () => {
  const heard: number[] = [];
  const throttled = throttle(100, (value: number) => heard.push(value));
  throttled.call(1);
  throttled.call(2);
  throttled.cancel();
  vi.advanceTimersByTime(500);
  expect(heard).toEqual([1]);
});
