/** Small plots of all features and of all classes, and those that are compared. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { elevenClasses, rentals, threeClasses, weather } from "../../dev/explorers.ts";
import { manyFeatures } from "../../dev/made_up.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { frame, ink, kernel, letGo, type Mounted, mount, mountDrawn, openMenu, slideTo } from "./mount.ts";

const shown = { right: "all" } as const;
const asked = (model: FakeModel) =>
  model.sent.flatMap((sent) => (sent.type === "curves" && sent.max_lines === 200 ? [sent.feature] : []));
const tileOf = ({ parts }: Mounted, feature: string) =>
  parts("tile").find(({ dataset }) => dataset.feature === feature)!;
const inside = (tile: HTMLElement, name: string) => tile.querySelector<HTMLElement>(`[data-test=${name}]`)!;
const lines = (tile: HTMLElement) => inside(tile, "curves-canvas");
const names = ({ parts }: Mounted) => parts("tile").map(({ dataset }) => dataset.feature);
const pinned = ({ root }: Mounted) =>
  [...root.querySelectorAll<HTMLElement>("[data-pinned] > li")].map(({ dataset }) => dataset.feature);
const message = (mounted: Mounted, feature: string) => inside(tileOf(mounted, feature), "small-message");
const ends = (mounted: Mounted, feature: string) =>
  [...tileOf(mounted, feature).querySelectorAll(".ice-axis text")].map(({ textContent }) => textContent);

async function all(model: FakeModel, width = 1000): Promise<Mounted> {
  const mounted = mount(model, width);
  await expect.poll(() => mounted.parts("small-message").length).toBeGreaterThan(1);
  await expect.poll(() => mounted.parts("small-message").filter(({ textContent }) => textContent === "…")).toEqual([]);
  await frame();
  return mounted;
}

test("every feature has a plot with its rank, its figure, its curves and their mean, in the order of the ranking", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  expect(names(mounted)).toEqual(mounted.order());
  const age = tileOf(mounted, "Age");
  await expect.poll(() => ink(lines(age))).toBeGreaterThan(100);
  expect(age.innerText).toMatch(/^1\s+Age\s+0\.\d{3}/);
  expect(age.getAttribute("aria-current")).toBe("true");
  expect(inside(age, "partial-dependence")).not.toBeNull();
  expect(age.querySelector(".ice-histogram")).not.toBeNull();
  expect([...age.querySelectorAll(".ice-small-end")].map(({ textContent }) => textContent)).toEqual(["18", "84"]);
});

test("curves end where they are unlike the data, their mean is dotted there, and the share is said", async () => {
  const mounted = await all(weather.model({ feature: "Temperature", _view: shown }));
  const tile = tileOf(mounted, "Temperature");
  await expect.poll(() => inside(tile, "small-unlike").textContent).toMatch(/^unlike the data: \d+\u00a0%$/);
  expect(inside(tile, "unlike")).not.toBeNull();
  await expect.poll(() => tile.querySelector(".ice-mean .ice-dotted")?.getAttribute("d")).toMatch(/^M/);
});

test("plots show the kind that is chosen, also where the open feature has none, and say where it is not defined", async () => {
  const mounted = await all(rentals.model({ feature: "District", kind: "d-ice", _view: shown }));
  expect(message(mounted, "District").textContent).toBe("Levels without an order have no slopes.");
  expect(asked(mounted.model)).not.toContain("District");
  expect(message(mounted, "Built").hidden).toBe(true);
  mounted.model.push("kind", "c-ice");
  await expect.poll(() => message(mounted, "District").textContent).toBe("");
  expect(mounted.part("kind-d-ice").hasAttribute("aria-disabled")).toBe(false);
  await userEvent.click(mounted.part("tab-feature"));
  await expect.poll(() => mounted.part("kind-d-ice").getAttribute("aria-disabled")).toBe("true");
});

test("while the slider moves lines fade and plots keep their places; when it is let go they take their ranks", async () => {
  const mounted = await all(kernel.model({ feature: "Age", decay: 1, _view: shown }));
  const tiles = ["Age", "BMI", "Marker"].map((name) => lines(tileOf(mounted, name)));
  await expect.poll(() => Math.min(...tiles.map(ink))).toBeGreaterThan(100);
  const [inked, before, figure] = [tiles.map(ink), names(mounted), tileOf(mounted, "Age").innerText];
  await slideTo(mounted.part("decay-slider"), 0.01);
  expect(names(mounted)).toEqual(before);
  expect(tileOf(mounted, "Age").innerText).not.toBe(figure);
  await letGo(mounted.part("decay-slider"));
  expect(names(mounted)).toEqual(mounted.order());
  expect(names(mounted)).not.toEqual(before);
  for (const [at, tile] of tiles.entries()) await expect.poll(() => ink(tile)).toBeLessThan(0.8 * inked[at]!);
});

test("compared features are larger and before the others, on one value axis; the button takes them back", async () => {
  const mounted = await all(kernel.model({ feature: "Age", kind: "c-ice", _view: shown }));
  const pin = (feature: string) => inside(tileOf(mounted, feature), "tile-pin");
  await userEvent.click(pin("BMI"));
  await userEvent.click(pin("Visits"));
  await expect.poll(() => pinned(mounted)).toEqual(mounted.order().filter((name) => ["BMI", "Visits"].includes(name)));
  expect(mounted.model.get("_view")).toEqual({ right: "all", compared: ["BMI", "Visits"] });
  expect(pin("BMI").getAttribute("aria-pressed")).toBe("true");
  expect(tileOf(mounted, "BMI").offsetWidth).toBeGreaterThan(tileOf(mounted, "Marker").offsetWidth);
  await expect.poll(() => ends(mounted, "Visits").length).toBe(2);
  expect(ends(mounted, "BMI")).toEqual(ends(mounted, "Visits"));
  await userEvent.click(pin("BMI"));
  await expect.poll(() => pinned(mounted)).toEqual(["Visits"]);
  expect(names(mounted).length).toBe(8);
  mounted.model.push("_view", { right: "all", compared: ["Gone", "Age"] });
  await expect.poll(() => pinned(mounted)).toEqual(["Age"]);
});

test("all have one value axis, or each its own; compared ones always have one, and slopes never", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: { ...shown, compared: ["Age", "Visits"] } }));
  const ranges = mounted.model.get("_header").features.map(({ range }) => range!);
  const together = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
  const shared = together.map((end) => end.toFixed(2));
  await expect.poll(() => [ends(mounted, "Marker"), ends(mounted, "Visits")]).toEqual([shared, shared]);
  await openMenu(mounted);
  await userEvent.click(mounted.part("view-shared_y"));
  await expect.poll(() => ends(mounted, "Marker")).not.toEqual(shared);
  expect([ends(mounted, "Age"), ends(mounted, "Visits")]).toEqual([shared, shared]);
  mounted.model.push("kind", "d-ice");
  await expect.poll(() => ends(mounted, "Visits")).not.toEqual(ends(mounted, "Age"));
  expect(mounted.part("view-shared_y").checkVisibility()).toBe(false);
});

test("changes share an axis that is no longer than the changes", async () => {
  const mounted = await all(kernel.model({ feature: "Age", kind: "c-ice", _view: shown }));
  const ranges = mounted.model.get("_header").features.map(({ range }) => range!);
  const widest = Math.max(...ranges.map(([low, high]) => high - low));
  const axis = () => mounted.order().map((name) => ends(mounted, name).map((end) => Number(end!.replace("−", "-"))));
  await expect.poll(() => new Set(axis().map(String)).size).toBe(1);
  const [low, high] = [...axis()[0]!].sort((a, b) => a - b);
  expect(high! - low!).toBeLessThan(1.5 * widest);
});

test("a click anywhere on a plot opens its feature, and so does its name by the keyboard, which leaves the focus on the tab", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  inside(tileOf(mounted, "BMI"), "tile-open").focus();
  await userEvent.keyboard("{Enter}");
  await mounted.drawn("BMI");
  expect(document.activeElement).toBe(mounted.part("tab-feature"));
  await userEvent.click(mounted.part("tab-all"));
  await userEvent.click(tileOf(mounted, "Age"), { position: { x: 60, y: 90 } });
  await mounted.drawn("Age");
  expect(mounted.part("tabpanel-feature").hidden).toBe(false);
});

test("of many features only the curves near the view are asked for; a feature opened elsewhere comes into view", async () => {
  const mounted = await all(manyFeatures(48, { feature: "", _view: shown }));
  const before = asked(mounted.model);
  expect(before.length).toBeLessThan(25);
  expect(new Set(before).size).toBe(before.length);
  const scroll = mounted.part("tiles-scroll");
  const last = mounted.order().at(-1)!;
  mounted.model.push("feature", last);
  await expect.poll(() => asked(mounted.model)).toContain(last);
  await expect.poll(() => ink(lines(tileOf(mounted, last)))).toBeGreaterThan(0);
  expect(asked(mounted.model).length).toBeLessThan(45);
  const tile = tileOf(mounted, last).getBoundingClientRect();
  expect(tile.top).toBeGreaterThanOrEqual(scroll.getBoundingClientRect().top - 1);
  expect(tile.right).toBeLessThanOrEqual(mounted.part("view").getBoundingClientRect().right + 1);
});

test("features still to come say so and are asked for when they are there", async () => {
  const mounted = await all(kernel.model({ ...kernel.partial(3), feature: "Age", _view: shown }));
  expect(message(mounted, "Height").textContent).toBe("Not computed yet.");
  expect(mounted.part("all-about").textContent).toMatch(/^3 of 8 features so far/);
  expect(asked(mounted.model)).not.toContain("Height");
  const whole = kernel.model();
  for (const key of ["_impact", "_profile", "_status"] as const) mounted.model.push(key, whole.get(key));
  await expect.poll(() => asked(mounted.model)).toContain("Height");
  await expect.poll(() => message(mounted, "Height").textContent).toBe("");
});

test("an answer that failed is said in its plot, and the others go on", async () => {
  const model = kernel.model({ feature: "Age", _view: shown }).refusing("curves", "The model failed.", "BMI");
  const mounted = await all(model);
  const { textContent, dataset } = message(mounted, "BMI");
  expect([textContent, dataset.state]).toEqual(["The model failed.", "error"]);
  await expect.poll(() => ink(lines(tileOf(mounted, "Height")))).toBeGreaterThan(100);
});

test.each([
  ["levels", { color_by: "Smoker" }, /^SmokerFalseTrue$/],
  ["the median", { color_by: "BMI", _view: { ...shown, coloring: "median" as const } }, /BMI ≤ [\d.]+.*BMI > [\d.]+$/],
])("colours and what the legend hides are those of all plots: %s", async (_name, traits, text) => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown, ...traits }));
  const legend = mounted.part("all-legend");
  await expect.poll(() => legend.textContent).toMatch(text);
  const canvas = lines(tileOf(mounted, "Visits"));
  await expect.poll(() => ink(canvas)).toBeGreaterThan(100);
  const before = ink(canvas);
  await userEvent.click(legend.querySelector("[data-level='0']")!);
  await expect.poll(() => ink(canvas)).toBeLessThan(0.8 * before);
});

test("what is not selected steps back; a few selected rows are marked in every plot, many are drawn as all", async () => {
  const selection = Array.from({ length: 60 }, (_, row) => 5 * row);
  const mounted = await all(kernel.model({ feature: "Age", selection, _view: shown }));
  const tile = tileOf(mounted, "BMI");
  const over = inside(tile, "selected-canvas");
  await expect.poll(() => ink(over)).toBeGreaterThan(100);
  expect(inside(tile, "selected-line")).toBeNull();
  await expect.poll(() => getComputedStyle(lines(tile)).opacity).toBe("0.28");
  mounted.model.push("selection", []);
  await expect.poll(() => over.checkVisibility()).toBe(false);
  mounted.model.push("selection", [1, 33]);
  const rows = (feature: string) =>
    [...tileOf(mounted, feature).querySelectorAll<SVGElement>("[data-test=selected-line]")].map(
      ({ dataset }) => dataset.row,
    );
  await expect
    .poll(() => [rows("BMI"), rows("Smoker")])
    .toEqual([
      ["1", "33"],
      ["1", "33"],
    ]);
});

test("plots that close leave nothing behind", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  slideTo(mounted.part("decay-slider"), 0.3);
  mounted.end();
  const before = mounted.model.sent.length;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(mounted.model.sent.length).toBe(before);
  expect(mounted.model.listenerCount).toBe(0);
});

test("all classes are side by side, with the marks of the large plot; a click explains another", async () => {
  const mounted = await mountDrawn(threeClasses.model({ feature: "Age", decay: 0.2 }));
  const { part, parts, model } = mounted;
  expect(model.sent.some(({ type }) => type === "classes")).toBe(false);
  const space = document.createElement("div");
  space.style.height = `${innerHeight}px`;
  document.body.prepend(space);
  window.scrollTo(0, 0);
  await openMenu(mounted);
  part("classes-side-by-side").click();
  const buttons = () => parts("class-open");
  await expect.poll(() => buttons().map(({ textContent }) => textContent)).toEqual(["healthy", "relapsed", "lost"]);
  // They are below the plot, so the page scrolls to them.
  await expect.poll(() => Math.floor(part("classes").getBoundingClientRect().bottom)).toBeLessThanOrEqual(innerHeight);
  space.remove();
  const inks = () => parts("class").map((tile) => ink(lines(tile)));
  await expect.poll(() => Math.min(...inks())).toBeGreaterThan(30);
  const faded = inks()[0]!;
  await slideTo(part("decay-slider"), 1);
  await expect.poll(() => inks()[0]).toBeGreaterThan(1.2 * faded);
  expect(buttons().map((button) => button.getAttribute("aria-pressed"))).toEqual(["true", "false", "false"]);
  buttons()[1]!.click();
  expect(model.get("output")).toBe("relapsed");
  await expect.poll(() => buttons()[1]!.getAttribute("aria-pressed")).toBe("true");
  model.push("_header", { ...threeClasses.header, output_label: "probability of relapsed" });
  await mounted.drawn("Age");
  expect(model.sent.filter(({ type }) => type === "classes").length).toBe(1);
});

test("of many classes the first eight are there, and how many more", async () => {
  const { part, parts } = await mountDrawn(elevenClasses.model({ feature: "Age", _view: { classes: true } }));
  await expect.poll(() => parts("class").length).toBe(8);
  expect(part("classes-head").textContent).toBe("Age for every classthe 8 most probable of 11");
});
