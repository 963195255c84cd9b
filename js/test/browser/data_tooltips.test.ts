/** What the pointer reads under the curves. */
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { rentals } from "../../dev/explorers.ts";
import { explanation } from "../../src/text/glossary.ts";
import { frame, kernel, type Mounted, mountDrawn } from "./mount.ts";

/** Moves the pointer over the strip of the data, at a share of the width of the plot. */
async function pointAt({ part }: Mounted, share: number, fromBottom = 30): Promise<void> {
  const box = part("plot").getBoundingClientRect();
  await userEvent.hover(page.elementLocator(part("plot")), {
    position: { x: share * box.width, y: box.height - fromBottom },
  });
  await frame();
}

test("a bar of the histogram tells its values and how many observations have them", async () => {
  const mounted = await mountDrawn();
  await pointAt(mounted, 0.5);
  const tooltip = mounted.part("tooltip");
  await expect.poll(() => tooltip.hidden).toBe(false);
  expect(tooltip.textContent).toMatch(/^Age \d+(\.\d+)?( to \d+(\.\d+)?)?observations\d+ of 300 \(\d+.%\)(unlike.*)?$/);
});

test("the strip under the curves explains itself on keyboard focus and under the pointer", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age" }));
  const [label, tooltip] = [mounted.part("strip-histogram"), mounted.part("tooltip")];
  const { text } = explanation("histogram");
  const edge = mounted.part("plot").getBoundingClientRect().left;
  expect(label.getBoundingClientRect().left).toBeGreaterThan(edge - 1);
  await userEvent.hover(label);
  await expect.poll(() => tooltip.hidden).toBe(false);
  await expect.poll(() => tooltip.textContent).toContain(text);
  await userEvent.hover(mounted.part("feature-title"));
  await expect.poll(() => tooltip.hidden).toBe(true);
  mounted.part("plot").focus();
  await userEvent.keyboard("{Tab}");
  expect(document.activeElement).toBe(label);
  expect(tooltip.textContent).toContain(text);
});

test("the tooltip of a level goes where the pointer leaves the plot downwards", async () => {
  const mounted = await mountDrawn(rentals.model({ feature: "District" }));
  await pointAt(mounted, 0.4);
  const tooltip = mounted.part("tooltip");
  await expect.poll(() => tooltip.hidden).toBe(false);
  expect(tooltip.textContent).toContain("observations");
  expect(tooltip.textContent).toContain("partial dependence");
  await userEvent.hover(page.elementLocator(mounted.part("x-title")));
  await expect.poll(() => tooltip.hidden).toBe(true);
});
