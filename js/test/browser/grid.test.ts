import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { rentals } from "../../dev/explorers.ts";
import { manyFeatures } from "../../dev/made_up.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { choose, frame, ink, kernel, letGo, type Mounted, mount, slideTo } from "./mount.ts";

const shown = { right: "all" } as const;
const asked = (model: FakeModel) =>
  model.sent.flatMap((sent) => (sent.type === "curves" && sent.max_lines === 200 ? [sent.feature] : []));
const tileOf = ({ parts }: Mounted, feature: string) =>
  parts("tile").find(({ dataset }) => dataset.feature === feature)!;
const lines = (tile: HTMLElement) => tile.querySelector<HTMLElement>("[data-test=small-lines]")!;
const names = ({ parts }: Mounted) =>
  parts("tile")
    .sort((a, b) => Number(a.dataset.place) - Number(b.dataset.place))
    .map(({ dataset }) => dataset.feature);

async function all(model: FakeModel, width = 1000): Promise<Mounted> {
  const mounted = mount(model, width);
  // One tile, which keeps the open feature, is there before the size of the panel is known.
  await expect.poll(() => mounted.parts("tile").length).toBeGreaterThan(1);
  await expect.poll(() => mounted.parts("tile-message").filter(({ textContent }) => textContent === "…")).toEqual([]);
  await frame();
  return mounted;
}

test("every feature has a tile with its rank, its figure and its lines, in the order of the ranking", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  expect(names(mounted)).toEqual(mounted.order());
  const age = tileOf(mounted, "Age");
  await expect.poll(() => ink(lines(age))).toBeGreaterThan(100);
  // What is read out is what stands there, and what the figure is.
  expect(age.hasAttribute("aria-label")).toBe(false);
  expect(age.textContent).toMatch(/^1 Age 0\.\d{3} in-distribution impact/);
  expect([age.ariaPosInSet, age.ariaSetSize]).toEqual(["1", "8"]);
  expect(age.getAttribute("aria-selected")).toBe("true");
  expect(age.querySelector("[data-test=small-mean]")).not.toBeNull();
  expect(age.querySelector(".ice-histogram")).not.toBeNull();
  expect([...age.querySelectorAll(".ice-small-end")].map(({ textContent }) => textContent)).toEqual(["18", "84"]);
});

test("tiles show the kind that is chosen, also where the open feature has none, and say where it is not defined", async () => {
  const mounted = await all(rentals.model({ feature: "District", kind: "d-ice", _view: shown }));
  const message = (feature: string) => tileOf(mounted, feature).querySelector("[data-test=tile-message]")!;
  expect(message("District").textContent).toBe("Levels without an order have no slopes.");
  expect(asked(mounted.model)).not.toContain("District");
  expect((message("Built") as HTMLElement).hidden).toBe(true);
  mounted.model.push("kind", "c-ice");
  await expect.poll(() => message("District").textContent).toBe("");
  expect(mounted.part("kind-d-ice").hasAttribute("aria-disabled")).toBe(false);
  await userEvent.click(mounted.part("tab-feature"));
  await expect.poll(() => mounted.part("kind-d-ice").getAttribute("aria-disabled")).toBe("true");
});

test("while the slider moves lines fade and tiles keep their places; when it is let go they take their ranks", async () => {
  const mounted = await all(kernel.model({ feature: "Age", decay: 1, _view: shown }));
  const tiles = ["Age", "BMI", "Marker"].map((name) => lines(tileOf(mounted, name)));
  await expect.poll(() => Math.min(...tiles.map(ink))).toBeGreaterThan(100);
  const [inked, before, figure] = [tiles.map(ink), names(mounted), tileOf(mounted, "Age").textContent];
  await slideTo(mounted.part("decay-slider"), 0.01);
  expect(names(mounted)).toEqual(before);
  expect(tileOf(mounted, "Age").textContent).not.toBe(figure);
  await letGo(mounted.part("decay-slider"));
  expect(names(mounted)).toEqual(mounted.order());
  expect(names(mounted)).not.toEqual(before);
  for (const [at, tile] of tiles.entries()) await expect.poll(() => ink(tile)).toBeLessThan(0.8 * inked[at]!);
});

test("one value axis for all of them is chosen in the menu, which offers nothing else here", async () => {
  const mounted = await all(kernel.model({ feature: "Age", kind: "c-ice", _view: shown }));
  const ends = (feature: string) =>
    [...tileOf(mounted, feature).querySelectorAll(".ice-axis text")].map(({ textContent }) => textContent);
  expect(ends("Age")).not.toEqual(ends("Visits"));
  await userEvent.click(mounted.part("view"));
  const offered = [...mounted.part("view-menu").querySelectorAll("input")].filter((input) => input.checkVisibility());
  expect(offered.map(({ dataset }) => dataset.test)).toEqual(["intervals", "view-shared_y"]);
  await userEvent.click(mounted.part("view-shared_y"));
  await expect.poll(() => ends("Age")).toEqual(ends("Visits"));
  expect(mounted.model.get("_view")).toEqual({ right: "all", shared_y: true });
  mounted.model.push("kind", "ice");
  // That of all features, whichever tiles are in view.
  const ranges = mounted.model.get("_header").features.map(({ range }) => range!);
  const together = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
  await expect.poll(() => ends("Visits")).toEqual(together.map((end) => end.toFixed(2)));
});

test("arrow keys move in the grid; Enter opens and leaves the focus on the tab, and a click opens", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  const [first, second, , fourth] = names(mounted); // three in a row
  const last = names(mounted).at(-1);
  tileOf(mounted, first!).focus();
  for (const [key, name] of [
    ["ArrowRight", second],
    ["ArrowLeft", first],
    ["ArrowUp", first],
    ["End", last],
    ["ArrowDown", last],
    ["Home", first],
    ["ArrowDown", fourth],
  ]) {
    await userEvent.keyboard(`{${key}}`);
    await expect.poll(() => document.activeElement).toBe(tileOf(mounted, name!));
  }
  expect(mounted.parts("tile").filter(({ tabIndex }) => tabIndex === 0).length).toBe(1);
  await userEvent.keyboard("{Enter}");
  await mounted.drawn(fourth!);
  expect(document.activeElement).toBe(mounted.part("tab-feature"));
  await userEvent.click(mounted.part("tab-all"));
  await userEvent.click(tileOf(mounted, "BMI"));
  await mounted.drawn("BMI");
  expect(mounted.part("tabpanel-feature").hidden).toBe(false);
});

/** Up to 50, so that the ranking beside them has a bar for each. */
const fortyEight = () => all(manyFeatures(48, { feature: "", _view: shown }));

test("of many features only the tiles in view exist, and only theirs are asked for; a feature opened elsewhere comes into view", async () => {
  const mounted = await fortyEight();
  expect(mounted.parts("tile").length).toBeLessThan(25);
  const before = asked(mounted.model);
  expect(before.length).toBeLessThan(25);
  expect(new Set(before).size).toBe(before.length);
  const scroll = mounted.part("grid-scroll");
  scroll.scrollTop = scroll.scrollHeight;
  const last = mounted.order().at(-1)!;
  await expect.poll(() => asked(mounted.model)).toContain(last);
  await expect.poll(() => ink(lines(tileOf(mounted, last)))).toBeGreaterThan(0);
  expect(asked(mounted.model).length).toBeLessThan(45);
  scroll.scrollTop = 0;
  await expect.poll(() => names(mounted)).not.toContain(last);
  mounted.model.push("feature", last);
  await expect.poll(() => names(mounted)).toContain(last);
  expect(tileOf(mounted, last).getAttribute("aria-selected")).toBe("true");
  const tile = tileOf(mounted, last).getBoundingClientRect();
  expect(tile.bottom).toBeLessThanOrEqual(scroll.getBoundingClientRect().bottom);
  expect(tile.right).toBeLessThanOrEqual(mounted.part("view").getBoundingClientRect().right + 1);
});

test("the tile with the focus outlives its row, and the keys take the view back to it", async () => {
  const mounted = await fortyEight();
  const [first, second] = names(mounted);
  tileOf(mounted, first!).focus();
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => document.activeElement).toBe(tileOf(mounted, second!));
  mounted.part("grid-scroll").scrollTop = 2000;
  await expect.poll(() => names(mounted)).not.toContain(first);
  expect(document.activeElement).toBe(tileOf(mounted, second!));
  await userEvent.keyboard("{ArrowLeft}");
  await expect.poll(() => document.activeElement).toBe(tileOf(mounted, first!));
  expect(mounted.part("grid-scroll").scrollTop).toBe(0);
  await userEvent.keyboard("{End}");
  await expect.poll(() => (document.activeElement as HTMLElement).dataset.feature).toBe(mounted.order().at(-1));
});

test("features still to come say so and are asked for when they are there", async () => {
  const mounted = await all(kernel.model({ ...kernel.partial(3), feature: "Age", _view: shown }));
  const height = () => tileOf(mounted, "Height").querySelector("[data-test=tile-message]")!.textContent;
  expect(height()).toBe("Not computed yet.");
  expect(mounted.part("grid-about").textContent).toMatch(/^3 of 8 features so far/);
  expect(asked(mounted.model)).not.toContain("Height");
  const whole = kernel.model();
  for (const key of ["_impact", "_profile", "_status"] as const) mounted.model.push(key, whole.get(key));
  await expect.poll(() => asked(mounted.model)).toContain("Height");
  await expect.poll(height).toBe("");
});

test("an answer that failed is said in its tile, and the others go on", async () => {
  const model = kernel.model({ feature: "Age", _view: shown }).refusing("curves", "The model failed.", "BMI");
  const mounted = await all(model);
  const message = tileOf(mounted, "BMI").querySelector<HTMLElement>("[data-test=tile-message]")!;
  expect([message.textContent, message.dataset.state]).toEqual(["The model failed.", "error"]);
  await expect.poll(() => ink(lines(tileOf(mounted, "Height")))).toBeGreaterThan(100);
});

test("colours and hidden levels are those of all tiles", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  choose(mounted.part("color-by"), "Smoker");
  const legend = mounted.part("grid-legend");
  await expect.poll(() => legend.textContent).toBe("SmokerFalseTrue");
  const canvas = lines(tileOf(mounted, "BMI"));
  await frame();
  const before = ink(canvas);
  await userEvent.click(legend.querySelector("[data-level='0']")!);
  await expect.poll(() => ink(canvas)).toBeLessThan(0.8 * before);
});

test("tiles are parted by colour as the open feature is", async () => {
  const mounted = await all(kernel.model({ feature: "Age", color_by: "BMI", _view: { ...shown, coloring: "median" } }));
  const legend = mounted.part("grid-legend");
  await expect.poll(() => legend.querySelectorAll("[data-level]").length).toBe(2);
  expect(legend.dataset.split).toBe("true");
  expect(legend.textContent).toMatch(/BMI ≤ [\d.]+.*BMI > [\d.]+$/);
  const canvas = lines(tileOf(mounted, "Age"));
  await frame();
  const before = ink(canvas);
  await userEvent.click(legend.querySelector("[data-level='0']")!);
  await expect.poll(() => ink(canvas)).toBeLessThan(0.8 * before);
});

test("what is not selected steps back; a few selected rows are marked in every tile, asked for where they are not drawn, many are drawn as all", async () => {
  const selection = Array.from({ length: 60 }, (_, row) => 5 * row);
  const mounted = await all(kernel.model({ feature: "Age", selection, _view: shown }));
  const tile = tileOf(mounted, "BMI");
  const over = tile.querySelector<HTMLElement>("[data-test=small-selected-lines]")!;
  await expect.poll(() => ink(over)).toBeGreaterThan(100);
  expect(tile.querySelector("[data-test=small-selected]")).toBeNull();
  await expect.poll(() => getComputedStyle(lines(tile)).opacity).toBe("0.28");
  mounted.model.push("selection", []);
  await expect.poll(() => over.checkVisibility()).toBe(false);
  await expect.poll(() => getComputedStyle(lines(tile)).opacity).toBe("1");
  mounted.model.push("selection", [1, 33]);
  const rows = (feature: string) =>
    [...tileOf(mounted, feature).querySelectorAll<SVGElement>("[data-test=small-selected]")].map(
      ({ dataset }) => dataset.row,
    );
  await expect.poll(() => rows("BMI")).toEqual(["1", "33"]);
  await expect.poll(() => rows("Smoker")).toEqual(["1", "33"]);
});

test("a grid that closes leaves nothing behind", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  slideTo(mounted.part("decay-slider"), 0.3);
  mounted.end();
  const before = mounted.model.sent.length;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(mounted.model.sent.length).toBe(before);
  expect(mounted.model.listenerCount).toBe(0);
});
