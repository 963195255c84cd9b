import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { rentals } from "../../dev/explorers.ts";
import { frame, ink, kernel, letGo, type Mounted, mountDrawn, openMenu, press, slideTo } from "./mount.ts";
import { type At, drag, letGo as lift } from "./pointer.ts";

const of = ({ parts }: Mounted) => parts("compared").map(({ dataset }) => dataset.feature);
const item = ({ parts }: Mounted, feature: string) =>
  parts("compared").find(({ dataset }) => dataset.feature === feature)!;
const inside = <T extends HTMLElement>(node: HTMLElement, name: string) =>
  node.querySelector<T>(`[data-test=${name}]`)!;

/** Opens "Age" beside others. */
async function compared(others: string[], overrides = {}): Promise<Mounted> {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", _view: { compared: others }, ...overrides }));
  await expect.poll(() => of(mounted)).toEqual(["Age", ...others]);
  for (const feature of of(mounted)) {
    await expect.poll(() => ink(inside(item(mounted, feature!), "small-lines"))).toBeGreaterThan(50);
  }
  await frame();
  return mounted;
}

/** Labels of the value axis, which comes first. */
const valueLabels = (mounted: Mounted, feature: string) =>
  [...item(mounted, feature).querySelector(".ice-axis")!.querySelectorAll("text")].map((text) => text.textContent);

test("the control asks with which feature, in the order of the ranking and without the open one", async () => {
  const mounted = await mountDrawn();
  const { part, model } = mounted;
  expect(part("comparison").hidden).toBe(true);
  const options = () => [...part<HTMLSelectElement>("compare").options].map(({ text }) => text);
  const ranked = mounted.order().filter((name) => name !== "Age");
  expect(options()).toEqual(["choose …", ...ranked]);
  await openMenu(mounted);
  await userEvent.selectOptions(part("compare"), "BMI");
  await expect.poll(() => of(mounted)).toEqual(["Age", "BMI"]);
  expect(model.get("_view")).toEqual({ compared: ["BMI"] });
  expect(options()).not.toContain("BMI");
  await userEvent.click(part("compare-close"));
  await frame();
  expect(of(mounted)).toEqual([]);
  expect(document.activeElement).toBe(part("plot"));
});

test("two or three plots of equal size are in the place of the large one, each with its impact and rank", async () => {
  const mounted = await compared(["Marker"]);
  const { part, parts } = mounted;
  const isPlotted = () => part("plot").checkVisibility({ visibilityProperty: true });
  const sizes = () =>
    parts("compared").map((node) => {
      const { width, height } = node.querySelector(".ice-small-frame")!.getBoundingClientRect();
      return `${width} ${height}`;
    });
  expect(new Set(sizes()).size).toBe(1);
  expect([isPlotted(), part("y-title").checkVisibility()]).toEqual([false, false]);
  const ranks = mounted.order();
  for (const feature of ["Age", "Marker"]) {
    const facts = inside(item(mounted, feature), "compared-facts");
    const rank = `${ranks.indexOf(feature) + 1} of ${ranks.length}`;
    expect(facts.textContent).toMatch(new RegExp(`^impact [\\d.]+ · rank ${rank}$`));
    expect(facts.querySelectorAll("[data-explanation]").length).toBe(2);
  }
  await openMenu(mounted);
  await userEvent.selectOptions(part("compare"), "BMI");
  await expect.poll(() => sizes().length).toBe(3);
  await expect.poll(() => new Set(sizes()).size).toBe(1);
  const options = [...part<HTMLSelectElement>("compare").options].map(({ text, disabled }) => [text, disabled]);
  expect(options).toEqual([
    ["choose …", false],
    ["Up to three features can be compared. Remove one first.", true],
  ]);
  await userEvent.click(part("compare-close"));
  await expect.poll(isPlotted).toBe(true);
  await expect.poll(() => ink(part("curves-canvas"))).toBeGreaterThan(50);
});

test("a feature is there once, and what is none is left out; where a compared one is opened, the two change places; a cross removes it", async () => {
  const mounted = await compared(["Marker", "BMI"]);
  await userEvent.click(inside(item(mounted, "BMI"), "compared-name"));
  await mounted.drawn("BMI");
  await expect.poll(() => of(mounted)).toEqual(["BMI", "Marker", "Age"]);
  expect(mounted.model.get("_view")).toEqual({ compared: ["Marker", "Age"] });
  mounted.model.push("_view", { compared: ["BMI", "Gone", "Visits"] });
  await expect.poll(() => of(mounted)).toEqual(["BMI", "Visits"]);
  await userEvent.click(inside(item(mounted, "Visits"), "compared-remove"));
  await expect.poll(() => of(mounted)).toEqual([]);
  expect(document.activeElement).toBe(mounted.part("plot"));
});

test("all are on one axis, or on that of all features, and slopes on their own", async () => {
  const mounted = await compared(["Marker", "BMI"], { kind: "c-ice" });
  const { part, model } = mounted;
  const labels = () => ["Marker", "BMI", "Age"].map((feature) => valueLabels(mounted, feature).join(" "));
  const together = labels()[0]!;
  expect(labels()).toEqual([together, together, together]);
  expect(inside(item(mounted, "BMI"), "compared-y-title").textContent).toContain("from BMI = ");
  expect(part("compare-title").textContent).toBe("On one value axis");
  model.push("kind", "d-ice");
  await expect.poll(() => new Set(labels()).size).toBe(3);
  expect(part("compare-title").textContent).toBe("Slopes have different units: each plot has its own axis.");
  model.push("kind", "c-ice");
  await expect.poll(() => labels()).toEqual([together, together, together]);
  await userEvent.click(part("view"));
  await userEvent.click(part("view-shared_y"));
  await expect.poll(() => labels()[0]).not.toBe(together);
  expect(new Set(labels()).size).toBe(1);
});

test("filters and the selection hold in the strip", async () => {
  const selection = Array.from({ length: 60 }, (_, row) => 5 * row);
  const mounted = await compared(["BMI"], { color_by: "Smoker", decay: 1 });
  const small = inside(item(mounted, "BMI"), "small-lines");
  await frame();
  const before = ink(small);
  await userEvent.click(mounted.part("legend").querySelector("[data-level='0']")!);
  await expect.poll(() => ink(small)).toBeLessThan(0.8 * before);
  mounted.model.push("selection", selection);
  const over = inside(item(mounted, "BMI"), "small-selected-lines");
  await expect.poll(() => ink(over)).toBeGreaterThan(50);
  await expect.poll(() => getComputedStyle(small).opacity).toBe("0.28");
});

test("the rows of the open feature and selected ones are drawn in every plot, and asked for where they are not", async () => {
  const mounted = await compared(["Marker", "BMI"], { max_lines: 20, selection: [33] });
  const asked = (feature: string) =>
    mounted.model.sent.filter((sent) => sent.type === "curves" && sent.feature === feature);
  expect(asked("Age")).toMatchObject([{ max_lines: 20 }]);
  expect(asked("BMI")).toMatchObject([{ max_lines: 1 }]);
  expect((asked("BMI")[0] as { selection: number[] }).selection.length).toBe(21);
  expect(mounted.parts("small-selected").map(({ dataset }) => dataset.row)).toEqual(["33", "33", "33"]);
});

test("the row under the pointer is marked in all of them, and a click selects it", async () => {
  const mounted = await compared(["Marker", "BMI"], { max_lines: 100 });
  const frameOf = item(mounted, "BMI").querySelector<HTMLElement>(".ice-small-frame")!;
  const mean = frameOf.querySelector(".ice-mean .ice-stroke")!.getBoundingClientRect();
  const box = frameOf.getBoundingClientRect();
  const position = { x: mean.left - box.left + mean.width / 2, y: mean.top - box.top + mean.height / 2 };
  await userEvent.hover(page.elementLocator(frameOf), { position });
  await expect.poll(() => mounted.parts("small-hovered").length).toBe(3);
  const { row } = mounted.part("small-hovered").dataset;
  expect(mounted.parts("small-hovered").map(({ dataset }) => dataset.row)).toEqual([row, row, row]);
  expect(mounted.part("tooltip").hidden).toBe(false);
  expect(mounted.part("tooltip").textContent).toMatch(new RegExp(`^Row ${row}BMI`));
  await userEvent.click(page.elementLocator(frameOf), { position });
  await frame();
  expect(mounted.model.get("selection")).toEqual([Number(mounted.part("small-hovered").dataset.row)]);
  await expect.poll(() => mounted.parts("small-selected").length).toBe(3);
  await userEvent.hover(page.elementLocator(mounted.part("sentence")));
  await expect.poll(() => mounted.parts("small-hovered")).toEqual([]);
});

test("decay and kind are those of the open feature; slopes that do not exist are said to be missing", async () => {
  const mounted = await mountDrawn(
    rentals.model({ feature: "Area", decay: 1, _view: { compared: ["District", "Built"] } }),
  );
  const built = () => inside(item(mounted, "Built"), "small-lines");
  await expect.poll(() => mounted.parts("compared").length).toBe(3);
  await expect.poll(() => ink(built())).toBeGreaterThan(50);
  const before = ink(built());
  slideTo(mounted.part("decay-slider"), 0.05);
  letGo(mounted.part("decay-slider"));
  await expect.poll(() => ink(built())).toBeLessThan(0.8 * before);
  mounted.model.push("kind", "d-ice");
  const message = inside(item(mounted, "District"), "compared-message");
  await expect.poll(() => message.textContent).toBe("Levels without an order have no slopes.");
  expect(message.hidden).toBe(false);
});

test("mean and selected rows follow the kind, the lines and their axis", async () => {
  const strokes = (mounted: Mounted) =>
    [...item(mounted, "BMI").querySelectorAll(".ice-mean path, .ice-selected path")].map((path) =>
      path.getAttribute("d"),
    );
  const asked = await compared(["BMI"], { kind: "d-ice", selection: [4] });
  const wanted = strokes(asked);
  expect(wanted.length).toBeGreaterThan(1);
  const mounted = await compared(["BMI"], { selection: [4] });
  expect(strokes(mounted)).not.toEqual(wanted);
  mounted.part("kind-d-ice").click();
  await expect.poll(() => strokes(mounted)).toEqual(wanted);
});

/** Drags over the curves of one of the plots. */
async function brushed(mounted: Mounted, feature: string, from: At, to: At, how = {}): Promise<number[]> {
  const body = item(mounted, feature).querySelector<HTMLElement>(".ice-small-body")!;
  drag(mounted, from, to, how, body, body);
  await lift(mounted, to, how, body);
  return mounted.model.get("selection");
}
const [above, below] = [
  { x: 200, y: 90 },
  { x: 200, y: 170 },
];
const bars = ({ parts }: Mounted) =>
  parts("brush").flatMap((bar) =>
    bar.hidden ? [] : (bar.closest<HTMLElement>("[data-feature]")?.dataset.feature ?? ""),
  );

test("a drag across the curves of one plot selects them in all of them; another one replaces the bar, and with Shift adds", async () => {
  const mounted = await compared(["Marker", "BMI"]);
  const rows = await brushed(mounted, "Marker", above, below);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.length).toBeLessThan(300);
  expect(bars(mounted)).toEqual(["Marker"]);
  for (const feature of ["Age", "Marker", "BMI"]) {
    await expect.poll(() => ink(inside(item(mounted, feature), "small-selected-lines"))).toBeGreaterThan(20);
  }
  expect(mounted.model.saved.filter(([name]) => name === "selection").at(-1)![1]).toEqual(rows);
  const second = await brushed(mounted, "BMI", above, below);
  expect(bars(mounted)).toEqual(["BMI"]);
  const both = await brushed(mounted, "Marker", above, below, { shiftKey: true });
  expect(both).toEqual([...new Set([...rows, ...second])].sort((a, b) => a - b));
  expect(bars(mounted)).toEqual(["Marker"]);
});

test("the bar is pulled, stays while features are computed, and goes with its rows on Escape", async () => {
  const mounted = await compared(["Marker"]);
  const rows = await brushed(mounted, "Marker", above, below);
  const body = item(mounted, "Marker").querySelector<HTMLElement>(".ice-small-body")!;
  const [end, half] = [inside(item(mounted, "Marker"), "brush-low"), { x: 200, y: 130 }];
  drag(mounted, below, half, {}, end, body);
  await lift(mounted, half, {}, body);
  const fewer = mounted.model.get("selection");
  expect(fewer.length).toBeLessThan(rows.length);
  expect(rows).toEqual(expect.arrayContaining(fewer));
  mounted.model.push("_status", { ...mounted.model.get("_status"), label: "BMI" });
  await frame();
  expect(bars(mounted)).toEqual(["Marker"]);
  end.focus();
  await press("{Escape}");
  expect(mounted.model.get("selection")).toEqual([]);
  expect(bars(mounted)).toEqual([]);
  expect(document.activeElement).toBe(body);
});
