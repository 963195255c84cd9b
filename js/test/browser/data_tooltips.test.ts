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

test("a bar of the histogram tells its values and how many observations have them; without slopes there is no strip of their spread", async () => {
  const mounted = await mountDrawn();
  await pointAt(mounted, 0.5);
  const tooltip = mounted.part("tooltip");
  await expect.poll(() => tooltip.hidden).toBe(false);
  expect(tooltip.textContent).toMatch(/^Age \d+(\.\d+)?( to \d+(\.\d+)?)?observations\d+ of 300 \(\d+.%\)(unlike.*)?$/);
  expect([mounted.part("strip-slope_spread").hidden, mounted.part("strip-histogram").hidden]).toEqual([true, false]);
});

test.each(["histogram", "slope_spread"] as const)(
  "the strip %s explains itself on keyboard focus and under the pointer",
  async (term) => {
    const mounted = await mountDrawn(kernel.model({ feature: "Age", kind: "d-ice" }));
    const [label, tooltip] = [mounted.part(`strip-${term}`), mounted.part("tooltip")];
    const plot = mounted.part("plot").getBoundingClientRect();
    expect(label.getBoundingClientRect().left).toBeGreaterThanOrEqual(plot.left);
    await userEvent.hover(label);
    await expect.poll(() => tooltip.hidden).toBe(false);
    await expect.poll(() => tooltip.textContent).toContain(explanation(term).text);
    await userEvent.hover(mounted.part("feature-title"));
    await expect.poll(() => tooltip.hidden).toBe(true);
    mounted.part("plot").focus();
    await userEvent.keyboard(term === "slope_spread" ? "{Tab}" : "{Tab}{Tab}");
    expect(document.activeElement).toBe(label);
    expect(tooltip.textContent).toContain(explanation(term).text);
  },
);

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
