/** What the legend switches off, the means of groups, and the handle of the anchor. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { rentals } from "../../dev/explorers.ts";
import { divergingPalette } from "../../src/plot/geometry/palette.ts";
import { choosePalette } from "../../src/plot/layout.ts";
import { number } from "../../src/text/numbers.ts";
import type { Theme } from "../../src/view/theme.ts";
import type { ContinuousColors } from "../../src/wire/protocol.ts";
import { choose, kernel, type Mounted, mount, mountDrawn } from "./mount.ts";
import { drag, letGo } from "./pointer.ts";

const drawnLines = ({ root }: Mounted) => Number(root.dataset.drawnLines);

const byWard = (): Promise<Mounted> => mountDrawn(kernel.model({ feature: "Age", color_by: "Ward" }));

test("each visible group has its mean line in its colour, and its number of lines in the legend", async () => {
  const mounted = await byWard();
  expect(mounted.parts("group-mean").length).toBe(4);
  const counts = mounted.parts("legend-level").map(({ textContent }) => Number(/(\d+) rows?$/.exec(textContent!)![1]));
  const missing = Number(/\d+/.exec(mounted.part("legend-missing").textContent!)![0]);
  expect(counts.reduce((sum, n) => sum + n, missing)).toBe(300);
  await userEvent.click(mounted.parts("legend-level")[1]!);
  await expect.poll(() => mounted.parts("group-mean").map(({ dataset }) => dataset.level)).toEqual(["0", "2", "3"]);
  choose(mounted.part("color-by"), "BMI");
  await expect.poll(() => mounted.parts("group-mean").length).toBe(0);
});

test("Alt and a click, or a double click, leave only one group; what is hidden survives another display, by name", async () => {
  const mounted = await byWard();
  const level = mounted.parts("legend-level")[3]!;
  const n = Number(/(\d+) rows?$/.exec(level.textContent!)![1]);
  expect(mounted.parts("show-all")).toEqual([]);
  level.dispatchEvent(new MouseEvent("click", { bubbles: true, altKey: true }));
  await expect.poll(() => drawnLines(mounted)).toBe(n);
  await userEvent.click(mounted.part("show-all"));
  await expect.poll(() => drawnLines(mounted)).toBe(300);
  expect(mounted.parts("show-all")).toEqual([]);
  await userEvent.dblClick(level);
  await expect.poll(() => drawnLines(mounted)).toBe(n);
  expect(mounted.model.get("_view").filters).toMatchObject({ Ward: { hidden: expect.arrayContaining(["north"]) } });
  mounted.end();
  const again = mount(mounted.model);
  await again.drawn("Age");
  expect(drawnLines(again)).toBe(n);
  expect(again.parts("legend-level")[0]!.getAttribute("aria-pressed")).toBe("false");
});

test("a ramp has 0 in its middle where values of both signs are equally far from it", async () => {
  const mounted = await mountDrawn();
  choose(mounted.part("color-by"), "BMI");
  await expect.poll(() => mounted.part("legend").textContent).toMatch(/^BMI/);
  expect(mounted.part("legend").querySelector(".ice-ramp-zero")).toBeNull();
  const theme = { dark: false } as Theme;
  const scale: ContinuousColors = {
    column: "y − prediction",
    kind: "continuous",
    of: "numeric",
    domain: [-3, 3],
    median: 0.5,
    levels: null,
    clock: [],
  };
  expect(choosePalette({ scale, values: new Float64Array(1) }, theme)).toEqual(divergingPalette("light"));
});

test("on levels the groups have dots, also beside the axis", async () => {
  const mounted = await mountDrawn(rentals.model({ feature: "District", color_by: "Energy class" }));
  expect(mounted.parts("group-mean").length).toBe(5);
  expect(mounted.part("plot").querySelectorAll(".ice-group circle").length).toBe(5 * 6 + 5);
});

test("the anchor is dragged along the grid, or moved by keys; a double click returns it", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", kind: "c-ice" }));
  const { part, model } = mounted;
  expect(part("anchor-handle").getAttribute("aria-valuetext")).toBe("change vs Age = 18");
  drag(mounted, { x: 40, y: 100 }, { x: 300, y: 100 }, {}, part("anchor-handle"));
  await letGo(mounted, { x: 300, y: 100 });
  const anchor = model.get("anchor") as number;
  expect(anchor).toBeGreaterThan(30);
  await expect
    .poll(() => part("anchor-handle").getAttribute("aria-valuetext"))
    .toBe(`change vs Age = ${number(anchor)}`);
  await expect.poll(() => part("y-title").textContent).toContain(`from Age = ${number(anchor)}`);
  await userEvent.dblClick(part("anchor-handle"));
  await expect.poll(() => model.get("anchor")).toBe("min");
  part("anchor-handle").focus();
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => model.get("anchor")).toBeTypeOf("number");
  const one = model.get("anchor") as number;
  await userEvent.keyboard("{End}");
  await expect.poll(() => model.get("anchor") as number).toBeGreaterThan(one);
  part("kind-ice").click();
  await expect.poll(() => part("anchor-handle").hidden).toBe(true);
});
