/** What part of the axes shows: wheel, drags, keys, buttons, and what is remembered of it. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { clinic, FakeKernel, rentals } from "../../dev/model.ts";
import { frame, kernel, type Mounted, mount, mountDrawn } from "./mount.ts";
import { drag, letGo, wheel } from "./pointer.ts";

const flats = new FakeKernel(rentals(120));
const middle = { x: 300, y: 150 };
const isZoomed = ({ part }: Mounted) => !part("zoom-reset").hidden;

async function zoomed(mounted: Mounted): Promise<number[]> {
  await expect.poll(() => isZoomed(mounted)).toBe(true);
  await expect.poll(() => Object.keys(mounted.model.get("_view").zoom ?? {}).length).toBe(1);
  return Object.values(mounted.model.get("_view").zoom ?? {})[0]!;
}

test("the wheel scrolls the page, and zooms with Ctrl; that is remembered by kind and feature, and survives another display", async () => {
  const mounted = await mountDrawn();
  expect(wheel(mounted, middle, { deltaY: -100 }).defaultPrevented).toBe(false);
  await frame();
  expect(isZoomed(mounted)).toBe(false);
  expect(wheel(mounted, middle, { deltaY: -100, ctrlKey: true }).defaultPrevented).toBe(true);
  const [x0, x1, y0, y1] = await zoomed(mounted);
  expect(x1! - x0!).toBeLessThan(60);
  expect(y1! - y0!).toBeLessThan(0.95);
  const key = "ice Age: probability of readmitted";
  expect(mounted.model.get("_view").zoom).toEqual({ [key]: [x0, x1, y0, y1] });
  mounted.part("kind-c-ice").click();
  await expect.poll(() => mounted.root.dataset.kind).toBe("c-ice");
  await expect.poll(() => isZoomed(mounted)).toBe(false);
  mounted.part("kind-ice").click();
  await expect.poll(() => isZoomed(mounted)).toBe(true);
  mounted.end();
  const again = mount(mounted.model);
  await again.drawn("Age");
  expect(isZoomed(again)).toBe(true);
});

test("a drag along an axis zooms that axis alone, and then pulls it along", async () => {
  const mounted = await mountDrawn();
  const { height } = mounted.part("plot").getBoundingClientRect();
  // The hand need not be steady.
  drag(mounted, { x: 200, y: height - 12 }, { x: 300, y: height - 80 });
  letGo(mounted, { x: 300, y: height - 80 });
  const [x0, x1, y0, y1] = await zoomed(mounted);
  expect(x1! - x0!).toBeLessThan(20);
  expect(y1! - y0!).toBeGreaterThan(0.95);
  await frame();
  drag(mounted, { x: 300, y: height - 12 }, { x: 350, y: height - 12 });
  letGo(mounted, { x: 350, y: height - 12 });
  await expect.poll(() => Object.values(mounted.model.get("_view").zoom!)[0]![0]).toBeLessThan(x0!);
  const [after0, after1] = Object.values(mounted.model.get("_view").zoom!)[0]!;
  expect(after1! - after0!).toBeCloseTo(x1! - x0!, 9);
});

test("with the zoom tool a frame shows what is inside it, and nothing is selected", async () => {
  const mounted = await mountDrawn();
  await userEvent.click(mounted.part("tool-zoom"));
  drag(mounted, { x: 200, y: 100 }, { x: 300, y: 200 });
  expect(mounted.part("zoom-frame").getBoundingClientRect().width).toBeCloseTo(100, 0);
  letGo(mounted, { x: 300, y: 200 });
  const [x0, x1, y0, y1] = await zoomed(mounted);
  expect(x1! - x0!).toBeLessThan(20);
  expect(y1! - y0!).toBeLessThan(0.5);
  expect(mounted.model.get("selection")).toEqual([]);
  expect(mounted.parts("zoom-frame")).toEqual([]);
});

test("keys zoom and move; a key, a button and a double click show all again", async () => {
  const mounted = await mountDrawn();
  mounted.part("plot").focus();
  await userEvent.keyboard("++");
  const [x0] = await zoomed(mounted);
  await userEvent.keyboard("{Shift>}{ArrowRight}{/Shift}");
  await expect.poll(() => Object.values(mounted.model.get("_view").zoom!)[0]![0]).toBeGreaterThan(x0!);
  await userEvent.keyboard("0");
  await expect.poll(() => mounted.model.get("_view").zoom).toEqual({});
  expect(isZoomed(mounted)).toBe(false);
  wheel(mounted, middle, { deltaY: -100, ctrlKey: true });
  await expect.poll(() => isZoomed(mounted)).toBe(true);
  await userEvent.click(mounted.part("zoom-reset"));
  await expect.poll(() => isZoomed(mounted)).toBe(false);
  wheel(mounted, middle, { deltaY: -100, ctrlKey: true });
  await expect.poll(() => isZoomed(mounted)).toBe(true);
  mounted.part("plot").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  await expect.poll(() => isZoomed(mounted)).toBe(false);
});

test("levels are zoomed in height alone", async () => {
  const mounted = await mountDrawn(flats.model({ feature: "District" }));
  const names = () => [...mounted.part("level-axis").querySelectorAll("text")].map(({ textContent }) => textContent);
  const before = names();
  wheel(mounted, middle, { deltaY: -100, ctrlKey: true });
  const [x0, x1] = await zoomed(mounted);
  expect([x0, x1]).toEqual([-0.5, 5.5]);
  expect(names()).toEqual(before);
});

test("axes, mean and picked rows follow, and nothing is drawn outside", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", selection: [0, 3] }));
  for (let turn = 0; turn < 3; turn++) wheel(mounted, middle, { deltaY: -400, ctrlKey: true });
  await zoomed(mounted);
  const left = Number(mounted.part("plot").querySelector(".ice-clip")!.getAttribute("x"));
  for (const label of mounted.part("plot").querySelectorAll('.ice-axis text[text-anchor="middle"]')) {
    expect(Number(label.getAttribute("x"))).toBeGreaterThan(left - 20);
  }
  expect(mounted.part("partial-dependence").closest(".ice-clip")).not.toBeNull();
  expect(mounted.parts("selected-line")[0]!.querySelector(".ice-clip .ice-stroke")).not.toBeNull();
  expect(mounted.part("plot").innerHTML).not.toMatch(/NaN|undefined/);
});

test("while it moves a sample is drawn, and all lines when it rests", async () => {
  const many = new FakeKernel(clinic(3000), {}, 100);
  const mounted = await mountDrawn(many.model({ feature: "Age", max_lines: 5000 }));
  const { root } = mounted;
  expect(root.dataset.drawnLines).toBe("3000");
  let least = 3000;
  for (let step = 0; step < 5; step++) {
    wheel(mounted, middle, { deltaY: -20, ctrlKey: true });
    await frame();
    least = Math.min(least, Number(root.dataset.drawnLines));
  }
  expect(least).toBeLessThan(3000);
  await expect.poll(() => root.dataset.drawnLines).toBe("3000");
});

test("one finger leaves the page to scroll, two fingers zoom", async () => {
  const mounted = await mountDrawn();
  const plot = mounted.part("plot");
  expect(getComputedStyle(plot).touchAction).toBe("pan-y");
  const touch = (pointerId: number) => ({ pointerId, pointerType: "touch" });
  drag(mounted, { x: 200, y: 100 }, { x: 200, y: 180 }, touch(5));
  await letGo(mounted, { x: 200, y: 180 }, touch(5));
  expect(mounted.model.get("selection")).toEqual([]);
  drag(mounted, { x: 250, y: 150 }, { x: 250, y: 150 }, touch(6));
  drag(mounted, { x: 300, y: 150 }, { x: 450, y: 150 }, touch(7));
  letGo(mounted, { x: 250, y: 150 }, touch(6));
  letGo(mounted, { x: 450, y: 150 }, touch(7));
  await zoomed(mounted);
});
