/** Which of two colours is the brighter one, as browsers write them. */
import { expect, test } from "vitest";
import { brightness } from "../../src/view/theme.ts";

test("colours are read in every notation that a browser computes", () => {
  expect(brightness("rgb(255, 255, 255)")).toBeCloseTo(255, 9);
  expect(brightness("rgba(0, 0, 0, 0.87)")).toBe(0);
  expect(brightness("color(srgb 1 1 1 / 0.5)")).toBeCloseTo(255, 9);
  expect(brightness("color(srgb 0.5 0 1e-7)")).toBeCloseTo(0.299 * 127.5, 4);
});
