/** Selecting lines with a bar, and how the selected ones stand out. */
import { expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { clinic, FakeKernel, rentals } from "../../dev/model.ts";
import { frame, ink, kernel, type Mounted, mountDrawn } from "./mount.ts";
import { drag, letGo, press } from "./pointer.ts";

const flats = new FakeKernel(rentals(120));
const from = { x: 300, y: 120 };
const to = { x: 300, y: 220 };

async function brushed(mounted: Mounted, how: Partial<PointerEventInit> = {}): Promise<number[]> {
  drag(mounted, from, to, how);
  await letGo(mounted, to, how);
  return mounted.model.get("selection");
}

async function shownAge(selection: number[] = []): Promise<Mounted> {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", selection }));
  return mounted;
}

test("a drag across lines selects them, and Python hears of it at the end", async () => {
  const mounted = await shownAge();
  const rows = await brushed(mounted);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.length).toBeLessThan(300);
  expect(rows).toEqual([...rows].sort((a, b) => a - b));
  expect(mounted.part("brush").hidden).toBe(false);
  const sent = mounted.model.saved.filter(([name]) => name === "selection");
  expect(sent.at(-1)![1]).toEqual(rows);
  expect(sent.length).toBeLessThan(4);
});

test("a narrower bar selects fewer of the same rows", async () => {
  const mounted = await shownAge();
  const rows = await brushed(mounted);
  drag(mounted, to, { x: 300, y: 180 }, {}, mounted.part("brush-low"));
  await letGo(mounted, { x: 300, y: 180 });
  const fewer = mounted.model.get("selection");
  expect(fewer.length).toBeLessThan(rows.length);
  expect(rows).toEqual(expect.arrayContaining(fewer));
});

test("the bar is moved to another place and keeps its length", async () => {
  const mounted = await shownAge();
  await brushed(mounted);
  const before = mounted.part("brush").getBoundingClientRect();
  drag(mounted, { x: 300, y: 170 }, { x: 420, y: 190 }, {}, mounted.part("brush-bar"));
  await letGo(mounted, { x: 420, y: 190 });
  const after = mounted.part("brush").getBoundingClientRect();
  expect(after.left - before.left).toBeCloseTo(120, 0);
  expect(after.top - before.top).toBeCloseTo(20, 0);
  expect(after.height).toBeCloseTo(before.height, 0);
});

test("Shift adds to what is selected, Alt takes out", async () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const mounted = await shownAge(all);
  const added = await brushed(mounted, { shiftKey: true });
  expect(added).toEqual(expect.arrayContaining(all));
  mounted.model.push("selection", added);
  const rest = await brushed(mounted, { altKey: true });
  expect(rest.length).toBeLessThan(all.length + 1);
  expect(added).toEqual(expect.arrayContaining(rest));
});

test.each(["Escape", "the button", "a click beside"])(
  "the bar is taken away by %s, and its selection with it",
  async (how) => {
    const mounted = await shownAge();
    await brushed(mounted);
    if (how === "Escape") {
      mounted.part("plot").focus();
      await userEvent.keyboard("{Escape}");
    } else if (how === "the button") await userEvent.click(mounted.part("brush-remove"));
    else {
      const plot = mounted.part("plot");
      const corner = { x: 60, y: 11 };
      press(plot, plot, corner);
      const { left, top } = plot.getBoundingClientRect();
      plot.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: left + 300, clientY: top + 500 }));
    }
    await expect.poll(() => mounted.part("brush").hidden).toBe(true);
    expect(mounted.model.get("selection")).toEqual([]);
  },
);

test("the ends of the bar are moved with the keyboard", async () => {
  const mounted = await shownAge();
  const rows = await brushed(mounted);
  mounted.part("brush-high").focus();
  const said = mounted.part("brush-high").getAttribute("aria-valuetext");
  await userEvent.keyboard("{Shift>}{ArrowDown}{ArrowDown}{ArrowDown}{/Shift}");
  await frame();
  expect(mounted.model.get("selection").length).toBeLessThan(rows.length);
  expect(mounted.part("brush-high").getAttribute("aria-valuetext")).not.toBe(said);
});

test("another selection takes the bar away", async () => {
  const mounted = await shownAge();
  await brushed(mounted);
  mounted.model.push("selection", [3]);
  await expect.poll(() => mounted.part("brush").hidden).toBe(true);
  expect(mounted.model.get("selection")).toEqual([3]);
});

test("lines that the legend hides are not selected", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", color_by: "Smoker" }));
  await userEvent.click(mounted.parts("legend-level")[0]!);
  await expect.poll(() => mounted.root.dataset.drawnLines).toBe("91");
  const smokers = kernel.data.features.find(({ name }) => name === "Smoker")!.values;
  const rows = await brushed(mounted);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every((row) => smokers[row] === 1)).toBe(true);
});

test("levels and missing values are brushed where their dots stand", async () => {
  const mounted = await mountDrawn(flats.model({ feature: "District" }));
  const { width } = mounted.part("plot").getBoundingClientRect();
  drag(mounted, { x: width - 40, y: 10 }, { x: width - 40, y: 320 });
  await letGo(mounted, { x: width - 40, y: 320 });
  expect(mounted.model.get("selection").length).toBe(120);
  drag(mounted, { x: 120, y: 10 }, { x: 120, y: 320 });
  await letGo(mounted, { x: 120, y: 320 });
  expect(mounted.model.get("selection").length).toBe(120);
  const bar = mounted.part("brush").getBoundingClientRect().left - mounted.part("plot").getBoundingClientRect().left;
  const ticks = [...mounted.part("level-axis").querySelectorAll(".ice-tick")].map((tick) =>
    Number(tick.getAttribute("x1")),
  );
  expect(Math.min(...ticks.map((tick) => Math.abs(tick - bar)))).toBeLessThan(1);
});

test("a few selected rows are strokes; many are drawn over the dimmed lines", async () => {
  const mounted = await shownAge([1, 2, 3]);
  await expect.poll(() => getComputedStyle(mounted.part("curves-canvas")).opacity).not.toBe("1");
  expect(mounted.parts("selected-line").length).toBe(3);
  expect(mounted.part("selected-canvas").hidden).toBe(true);
  mounted.model.push(
    "selection",
    Array.from({ length: 100 }, (_, row) => row),
  );
  await expect.poll(() => mounted.part("selected-canvas").hidden).toBe(false);
  await frame();
  expect(mounted.parts("selected-line").length).toBe(0);
  const some = ink(mounted.part("selected-canvas"));
  expect(some).toBeGreaterThan(100);
  expect(some).toBeLessThan(ink(mounted.part("curves-canvas")));
  mounted.model.push("selection", []);
  await expect.poll(() => mounted.part("selected-canvas").hidden).toBe(true);
});

test("500 selected lines of 1000 are drawn over the others, which are not drawn anew", async () => {
  const many = new FakeKernel(clinic(1000), {}, 100);
  const mounted = await mountDrawn(many.model({ feature: "Steps a day", max_lines: 1000 }));
  const drawing = vi.spyOn(CanvasRenderingContext2D.prototype, "putImageData");
  onTestFinished(() => drawing.mockRestore());
  mounted.model.push(
    "selection",
    Array.from({ length: 500 }, (_, row) => 2 * row),
  );
  const drawn = () => drawing.mock.contexts.map((pen) => (pen as CanvasRenderingContext2D).canvas.dataset.test);
  await expect.poll(drawn).toContain("selected-canvas");
  await frame();
  expect(drawn()).not.toContain("curves-canvas");
});
