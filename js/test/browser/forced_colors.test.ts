/** Where the system chooses all colours, what is chosen, and where a slider stands, can still be seen. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { emulate } from "./hosts.ts";
import { kernel, mountDrawn } from "./mount.ts";

beforeEach(() => emulate("forced-colors", "active"));
afterEach(() => emulate("forced-colors", ""));

const ground = (node: Element): string => getComputedStyle(node).backgroundColor;

test("what is chosen stands on another ground than what is not; the slider has its track, and lists and menus have their arrows", async () => {
  const { part, parts } = await mountDrawn(kernel.model({ feature: "BMI", kind: "c-ice" }));
  await expect.poll(() => parts("driver").length).toBeGreaterThan(1);
  const [chip, other] = parts("driver");
  chip!.click();
  await expect.poll(() => chip!.getAttribute("aria-pressed")).toBe("true");
  expect(ground(chip!)).not.toBe(ground(other!));
  expect(ground(part("kind-c-ice"))).not.toBe(ground(part("kind-ice")));
  expect(ground(part("kind-c-ice"))).toBe(ground(chip!));
  expect(getComputedStyle(part("decay-slider")).backgroundImage).toMatch(/gradient/);
  expect(getComputedStyle(part("rank-by")).appearance).toBe("auto");
  const arrow = getComputedStyle(part("export"), "::after");
  expect(arrow.borderLeftColor).not.toBe(arrow.borderTopColor);
});
