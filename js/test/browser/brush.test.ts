/** Selecting lines with a bar, and how the selected ones stand out. */
import { expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { rentals, weather } from "../../dev/explorers.ts";
import { repeated } from "../../dev/made_up.ts";
import { frame, ink, kernel, type Mounted, mountDrawn } from "./mount.ts";
import { drag, letGo, press } from "./pointer.ts";

const from = { x: 300, y: 120 };
const to = { x: 300, y: 220 };

async function brushed(mounted: Mounted, how: Partial<PointerEventInit> = {}): Promise<number[]> {
  drag(mounted, from, to, how);
  await letGo(mounted, to, how);
  return mounted.model.get("selection");
}

const shownAge = (selection: number[] = []): Promise<Mounted> =>
  mountDrawn(kernel.model({ feature: "Age", selection }));

const isWithin = (rows: number[], others: number[]) => rows.every((row) => others.includes(row));

test("a drag across lines selects them, of which Python hears at the end; the bar is moved and made narrower", async () => {
  const mounted = await shownAge();
  const { part, model } = mounted;
  const rows = await brushed(mounted);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.length).toBeLessThan(300);
  expect(rows).toEqual([...rows].sort((a, b) => a - b));
  expect(part("brush-remove").innerText).toBe(`${rows.length} rows`);
  const sent = model.saved.filter(([name]) => name === "selection");
  expect(sent.at(-1)![1]).toEqual(rows);
  expect(sent.length).toBeLessThan(4);
  drag(mounted, to, { x: 300, y: 180 }, {}, part("brush-low"));
  await letGo(mounted, { x: 300, y: 180 });
  const fewer = model.get("selection");
  expect([fewer.length < rows.length, isWithin(fewer, rows)]).toEqual([true, true]);
  const text = part("brush-high").getAttribute("aria-valuetext");
  part("brush-high").focus();
  await userEvent.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
  await expect.poll(() => model.get("selection").length).toBeLessThan(fewer.length);
  await expect.poll(() => part("brush-high").getAttribute("aria-valuetext")).not.toBe(text);
  const before = part("brush").getBoundingClientRect();
  drag(mounted, { x: 300, y: 170 }, { x: 420, y: 190 }, {}, part("brush-bar"));
  await letGo(mounted, { x: 420, y: 190 });
  const after = part("brush").getBoundingClientRect();
  expect(after.left - before.left).toBeCloseTo(120, 0);
  expect(after.top - before.top).toBeCloseTo(20, 0);
  expect(after.height).toBeCloseTo(before.height, 0);
});

test("a brush selects no curve that has ended there, because it is unlike the data", async () => {
  const across = async (decay: number): Promise<number[]> => {
    const mounted = await mountDrawn(weather.model({ feature: "Apparent temperature", decay }));
    await expect.poll(() => mounted.part("unlike-note").textContent).toMatch(/%$/);
    await frame();
    const [top, bottom] = [
      { x: 120, y: 12 },
      { x: 120, y: 330 },
    ];
    drag(mounted, top, bottom);
    await letGo(mounted, bottom);
    return mounted.model.get("selection");
  };
  const [all, drawn] = [await across(1), await across(0.75)];
  expect(drawn.length).toBeGreaterThan(0);
  expect(drawn.length).toBeLessThan(all.length / 2);
  expect(isWithin(drawn, all)).toBe(true);
});

test("a brush selects from the drawn rows, with which it is compared; a selection from Python is of all rows", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", max_lines: 100 }));
  const { part, model } = mounted;
  const rows = await brushed(mounted);
  const text = () => part("selected-count-text").textContent;
  await expect.poll(text).toMatch(/^\d+ of 1\d\d drawn rows: $/);
  const asked = () => model.sent.flatMap((request) => (request.type === "in_common" ? [request.among] : []));
  await expect.poll(asked).toHaveLength(1);
  expect(isWithin(rows, asked()[0] as number[])).toBe(true);
  model.push("selection", [0, 1, 2, 3, 4, 5]);
  await expect.poll(text).toBe("6 rows: ");
  await expect.poll(() => asked().at(-1)).toBe(null);
});

test("Shift adds to what is selected, Alt takes out", async () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const mounted = await shownAge(all);
  const added = await brushed(mounted, { shiftKey: true });
  expect(isWithin(all, added)).toBe(true);
  mounted.model.push("selection", added);
  const rest = await brushed(mounted, { altKey: true });
  expect(rest.length).toBeLessThan(all.length + 1);
  expect(isWithin(rest, added)).toBe(true);
});

const ENDS: Record<string, (mounted: Mounted) => unknown> = {
  Escape: ({ part }) => {
    part("plot").focus();
    return userEvent.keyboard("{Escape}");
  },
  "the button": ({ part }) => userEvent.click(part("brush-remove")),
  "a click beside": ({ part }) => {
    const plot = part("plot");
    press(plot, plot, { x: 60, y: 11 });
    const { left, top } = plot.getBoundingClientRect();
    plot.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: left + 300, clientY: top + 500 }));
  },
  "another selection": ({ model }) => model.push("selection", [3]),
};

test.each(Object.keys(ENDS))("the bar is taken away by %s, and its selection with it", async (how) => {
  const mounted = await shownAge();
  await brushed(mounted);
  await ENDS[how]!(mounted);
  await expect.poll(() => mounted.part("brush").hidden).toBe(true);
  expect(mounted.model.get("selection")).toEqual(how === "another selection" ? [3] : []);
});

test("lines that the legend hides are not selected", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", color_by: "Smoker" }));
  await userEvent.click(mounted.parts("legend-level")[0]!);
  await expect.poll(() => mounted.root.dataset.drawnLines).toBe("91");
  const smokers = kernel.observed("Smoker");
  const rows = await brushed(mounted);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every((row) => smokers[row] === 1)).toBe(true);
});

test("levels and missing values are brushed where their dots stand", async () => {
  const mounted = await mountDrawn(rentals.model({ feature: "District" }));
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
  mounted.model.push("selection", [...Array(100).keys()]);
  await expect.poll(() => mounted.part("selected-canvas").hidden).toBe(false);
  await frame();
  expect(mounted.parts("selected-line").length).toBe(0);
  const some = ink(mounted.part("selected-canvas"));
  expect(some).toBeGreaterThan(100);
  expect(some).toBeLessThan(ink(mounted.part("curves-canvas")));
  mounted.model.push("selection", []);
  await expect.poll(() => mounted.part("selected-canvas").hidden).toBe(true);
});

test("600 selected lines of 1200 are drawn over the others, which are not drawn anew", async () => {
  const mounted = await mountDrawn(repeated(kernel, 4, { feature: "Steps a day", _view: { fade: "distance" } }));
  const drawing = vi.spyOn(CanvasRenderingContext2D.prototype, "putImageData");
  onTestFinished(() => drawing.mockRestore());
  const every = [...Array(1200).keys()];
  mounted.model.push(
    "selection",
    every.filter((row) => row % 2 === 0),
  ); // as many as the others
  const drawn = () => drawing.mock.contexts.map((pen) => (pen as CanvasRenderingContext2D).canvas.dataset.test);
  await expect.poll(drawn).toContain("selected-canvas");
  await frame();
  expect(drawn()).not.toContain("curves-canvas");
});

test("one finger leaves the page to scroll, and selects once it has rested; two fingers do nothing", async () => {
  const mounted = await mountDrawn();
  expect(getComputedStyle(mounted.part("plot")).touchAction).toBe("pan-y");
  const touch = (pointerId: number) => ({ pointerId, pointerType: "touch" });
  const [from, to] = [
    { x: 200, y: 100 },
    { x: 200, y: 180 },
  ];
  drag(mounted, from, to, touch(5));
  await letGo(mounted, to, touch(5));
  drag(mounted, from, from, touch(6));
  drag(mounted, from, to, touch(7));
  await letGo(mounted, from, touch(6));
  await letGo(mounted, to, touch(7));
  expect(mounted.model.get("selection")).toEqual([]);
  const plot = mounted.part("plot");
  press(plot, plot, from, touch(8));
  await new Promise((resolve) => setTimeout(resolve, 400));
  const { left, top } = plot.getBoundingClientRect();
  const at = { clientX: left + to.x, clientY: top + to.y };
  window.dispatchEvent(new PointerEvent("pointermove", { ...touch(8), ...at }));
  await letGo(mounted, to, touch(8));
  await expect.poll(() => mounted.model.get("selection").length).toBeGreaterThan(0);
});
