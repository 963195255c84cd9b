import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { FakeKernel, rentals } from "../../dev/model.ts";
import { frame, ink, kernel, letGo, type Mounted, mount, slideTo } from "./mount.ts";

const of = ({ parts }: Mounted) => parts("compared").map(({ dataset }) => dataset.feature);
const item = ({ parts }: Mounted, feature: string) =>
  parts("compared").find(({ dataset }) => dataset.feature === feature)!;
const inside = <T extends HTMLElement>(node: HTMLElement, name: string) =>
  node.querySelector<T>(`[data-test=${name}]`)!;

async function compared(features: string[], overrides = {}): Promise<Mounted> {
  const mounted = mount(kernel.model({ feature: "Age", _view: { compared: features }, ...overrides }));
  await mounted.drawn("Age");
  await expect.poll(() => of(mounted)).toEqual(features);
  for (const feature of features) {
    await expect.poll(() => ink(inside(item(mounted, feature), "small-lines"))).toBeGreaterThan(50);
  }
  await frame();
  return mounted;
}

test("a button pins the open feature and lets it go again", async () => {
  const mounted = mount(kernel.model({ feature: "Age" }));
  const { part, drawn, model } = mounted;
  await drawn("Age");
  expect(part("comparison").hidden).toBe(true);
  await userEvent.click(part("compare"));
  await frame();
  expect(of(mounted)).toEqual(["Age"]);
  expect(part("compare").getAttribute("aria-pressed")).toBe("true");
  expect(model.get("_view")).toEqual({ compared: ["Age"] });
  await userEvent.click(part("compare"));
  await frame();
  expect(of(mounted)).toEqual([]);
  expect(part("comparison").hidden).toBe(true);
});

test("a fourth takes the place of the first, and the strip says so", async () => {
  const mounted = await compared(["Marker", "BMI", "Visits"]);
  await userEvent.click(mounted.part("compare"));
  await expect.poll(() => of(mounted)).toEqual(["BMI", "Visits", "Age"]);
  expect(mounted.part("compare-status").textContent).toBe("Marker made room: three fit side by side.");
});

test("all stand on one axis, with the rows of the open feature", async () => {
  const mounted = await compared(["Marker", "BMI"], { kind: "c-ice" });
  const ends = (feature: string) =>
    [...item(mounted, feature).querySelectorAll(".ice-axis text")].map(({ textContent }) => textContent);
  expect(ends("BMI")).toEqual(ends("Marker"));
  expect(ends("BMI").length).toBe(2);
});

test("the axis is that of all features where the reader wants it so", async () => {
  const mounted = await compared(["Visits"]);
  const ends = () => [...item(mounted, "Visits").querySelectorAll(".ice-axis text")].map((end) => end.textContent);
  const before = ends();
  await userEvent.click(mounted.part("view"));
  await userEvent.click(mounted.part("view-shared_y"));
  await expect.poll(ends).not.toEqual(before);
  const ranges = mounted.model.get("_header").features.flatMap(({ range }) => range!);
  expect(ends()).toEqual([Math.min(...ranges).toFixed(2), Math.max(...ranges).toFixed(2)]);
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

test("slopes stand on an axis each, and the strip says so", async () => {
  const mounted = await compared(["Marker", "BMI"], { kind: "d-ice" });
  const ends = (feature: string) =>
    [...item(mounted, feature).querySelectorAll(".ice-axis text")].map(({ textContent }) => textContent);
  expect(ends("BMI")).not.toEqual(ends("Marker"));
  expect(mounted.part("compare-title").textContent).toBe("Compared, each on an axis of its own");
  mounted.model.push("kind", "c-ice");
  await expect.poll(() => [...ends("Marker"), ...ends("BMI")]).toEqual(["0.00", "0.53", "0.00", "0.53"]);
  expect(mounted.part("compare-title").textContent).toBe("Compared, on one axis");
});

test("where not all rows are drawn, those of the open feature are asked for", async () => {
  const mounted = await compared(["BMI"], { max_lines: 20 });
  const asked = mounted.model.sent.filter((sent) => sent.type === "curves" && sent.feature === "BMI");
  const own = mounted.model.sent.find((sent) => sent.type === "curves" && sent.feature === "Age");
  expect(asked).toMatchObject([{ max_lines: 1 }]);
  expect(own).toMatchObject({ max_lines: 20 });
  expect((asked[0] as { selection: number[] }).selection.length).toBe(20);
});

test("a feature that was open before is shown without a question", async () => {
  const mounted = mount(kernel.model({ feature: "Age" }));
  await mounted.drawn("Age");
  await userEvent.click(mounted.part("compare"));
  await expect.poll(() => ink(inside(item(mounted, "Age"), "small-lines"))).toBeGreaterThan(50);
  expect(mounted.model.sent.filter(({ type }) => type === "curves").length).toBe(1);
});

test("the row under the pointer is marked in all of them and in the main plot, and a click selects it", async () => {
  const mounted = await compared(["Marker", "BMI"], { max_lines: 6 });
  const frameOf = item(mounted, "BMI").querySelector<HTMLElement>(".ice-small-frame")!;
  const mean = frameOf.querySelector(".ice-mean .ice-stroke")!.getBoundingClientRect();
  const box = frameOf.getBoundingClientRect();
  const position = { x: mean.left - box.left + mean.width / 2, y: mean.top - box.top + mean.height / 2 };
  await userEvent.hover(page.elementLocator(frameOf), { position });
  await expect.poll(() => mounted.parts("hovered-line").length).toBe(1);
  const row = mounted.part("hovered-line").dataset.row;
  const marked = mounted.parts("small-hovered").map(({ dataset }) => dataset.row);
  expect(marked).toEqual([row, row]);
  expect(mounted.part("tooltip").hidden).toBe(false);
  expect(mounted.part("tooltip").textContent).toMatch(new RegExp(`^Row ${row}BMI`));
  await userEvent.click(page.elementLocator(frameOf), { position });
  await frame();
  expect(mounted.model.get("selection")).toEqual([Number(mounted.part("hovered-line").dataset.row)]);
  await expect.poll(() => mounted.parts("small-selected").length).toBe(2);
  await userEvent.hover(page.elementLocator(mounted.part("facts")));
  await expect.poll(() => mounted.parts("small-hovered")).toEqual([]);
});

test("a row that the keyboard finds in the main plot is marked in the strip", async () => {
  const mounted = await compared(["BMI"]);
  mounted.part("plot").focus();
  await userEvent.keyboard("{ArrowUp}");
  await expect.poll(() => mounted.parts("small-hovered").length).toBe(1);
  expect(mounted.part("small-hovered").dataset.row).toBe(mounted.part("hovered-line").dataset.row);
});

test("a name opens its feature, a cross removes it", async () => {
  const mounted = await compared(["Marker", "BMI"]);
  await userEvent.click(inside(item(mounted, "BMI"), "compared-name"));
  await mounted.drawn("BMI");
  await userEvent.click(inside(item(mounted, "Marker"), "compared-remove"));
  await expect.poll(() => of(mounted)).toEqual(["BMI"]);
  expect(document.activeElement).toBe(mounted.part("compare"));
});

test("decay and kind are those of the open feature; slopes that do not exist are said to be missing", async () => {
  const flats = new FakeKernel(rentals(60));
  const mounted = mount(flats.model({ feature: "Area", decay: 1, _view: { compared: ["District", "Built"] } }));
  await mounted.drawn("Area");
  const built = () => inside(item(mounted, "Built"), "small-lines");
  await expect.poll(() => mounted.parts("compared").length).toBe(2);
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

test("what is no feature any more is left out", async () => {
  const mounted = mount(kernel.model({ feature: "Age", _view: { compared: ["Gone", "BMI"] } }));
  await mounted.drawn("Age");
  await expect.poll(() => of(mounted)).toEqual(["BMI"]);
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
  await userEvent.click(mounted.part("kind-d-ice"));
  await expect.poll(() => strokes(mounted)).toEqual(wanted);
});
