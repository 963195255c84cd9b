import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { clinic, FakeKernel, type FakeModel, rentals } from "../../dev/model.ts";
import { choose, frame, ink, kernel, letGo, type Mounted, mount, slideTo } from "./mount.ts";

const shown = { right: "all" } as const;
const asked = (model: FakeModel) =>
  model.sent.flatMap((sent) => (sent.type === "curves" && sent.max_lines === 200 ? [sent.feature] : []));
const cardOf = ({ parts }: Mounted, feature: string) =>
  parts("card").find(({ dataset }) => dataset.feature === feature)!;
const lines = (card: HTMLElement) => card.querySelector<HTMLElement>("[data-test=small-lines]")!;
const names = ({ parts }: Mounted) =>
  parts("card")
    .sort((a, b) => Number(a.dataset.place) - Number(b.dataset.place))
    .map(({ dataset }) => dataset.feature);

async function all(model: FakeModel, width = 1000): Promise<Mounted> {
  const mounted = mount(model, width);
  await expect.poll(() => mounted.parts("card").length).toBeGreaterThan(0);
  await expect.poll(() => mounted.parts("card-message").filter(({ textContent }) => textContent === "…")).toEqual([]);
  await frame();
  return mounted;
}

test("every feature has a card with its rank, its figure and its lines, in the order of the ranking", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  expect(names(mounted)).toEqual(mounted.order());
  const age = cardOf(mounted, "Age");
  await expect.poll(() => ink(lines(age))).toBeGreaterThan(100);
  expect(age.textContent).toMatch(/^2Age0\.\d{3}/);
  expect(age.getAttribute("aria-selected")).toBe("true");
  expect(age.getAttribute("aria-label")).toMatch(/^Age, in-distribution impact 0\.\d+, rank 2 of 8 features\./);
  expect(age.querySelector("[data-test=small-mean]")).not.toBeNull();
  expect(age.querySelector(".ice-histogram")).not.toBeNull();
  expect([...age.querySelectorAll(".ice-small-end")].map(({ textContent }) => textContent)).toEqual(["18", "84"]);
});

test("cards show the kind that is chosen, and say where it is not defined", async () => {
  const flats = new FakeKernel(rentals(60));
  const mounted = await all(flats.model({ feature: "Area", kind: "d-ice", _view: shown }));
  const message = (feature: string) => cardOf(mounted, feature).querySelector("[data-test=card-message]")!;
  expect(message("District").textContent).toBe("Levels without an order have no slopes.");
  expect(asked(mounted.model)).not.toContain("District");
  expect((message("Built") as HTMLElement).hidden).toBe(true);
  mounted.model.push("kind", "c-ice");
  await expect.poll(() => message("District").textContent).toBe("");
});

test("slopes can be chosen for all features, also where the open one has none", async () => {
  const flats = new FakeKernel(rentals(60));
  const mounted = await all(flats.model({ feature: "District", _view: shown }));
  expect(mounted.part<HTMLButtonElement>("kind-d-ice").disabled).toBe(false);
  await userEvent.click(mounted.part("tab-feature"));
  await expect.poll(() => mounted.part<HTMLButtonElement>("kind-d-ice").disabled).toBe(true);
});

test("the decay fades the lines of all cards", async () => {
  const mounted = await all(kernel.model({ feature: "Age", decay: 1, _view: shown }));
  const cards = ["Age", "BMI", "Marker"].map((name) => lines(cardOf(mounted, name)));
  await expect.poll(() => Math.min(...cards.map(ink))).toBeGreaterThan(100);
  const before = cards.map(ink);
  slideTo(mounted.part("decay-slider"), 0.02);
  letGo(mounted.part("decay-slider"));
  for (const [at, card] of cards.entries()) await expect.poll(() => ink(card)).toBeLessThan(0.8 * before[at]!);
});

test("while the slider moves cards keep their places, and take their ranks when it is let go", async () => {
  const mounted = await all(kernel.model({ feature: "Age", decay: 1, _view: shown }));
  const before = names(mounted);
  const figure = cardOf(mounted, "Age").textContent;
  slideTo(mounted.part("decay-slider"), 0.01);
  await frame();
  expect(names(mounted)).toEqual(before);
  expect(cardOf(mounted, "Age").textContent).not.toBe(figure);
  letGo(mounted.part("decay-slider"));
  await frame();
  expect(names(mounted)).toEqual(mounted.order());
  expect(names(mounted)).not.toEqual(before);
});

test("one value axis for all of them is chosen with a button and remembered", async () => {
  const mounted = await all(kernel.model({ feature: "Age", kind: "c-ice", _view: shown }));
  const ends = (feature: string) =>
    [...cardOf(mounted, feature).querySelectorAll(".ice-axis text")].map(({ textContent }) => textContent);
  expect(ends("Age")).not.toEqual(ends("Visits"));
  await userEvent.click(mounted.part("grid-shared-y"));
  await expect.poll(() => ends("Age")).toEqual(ends("Visits"));
  expect(mounted.part("grid-shared-y").getAttribute("aria-pressed")).toBe("true");
  expect(mounted.model.get("_view")).toEqual({ right: "all", shared_y: true });
});

test("a click opens the feature in its tab", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  await userEvent.click(cardOf(mounted, "BMI"));
  await mounted.drawn("BMI");
  expect(mounted.part("tabpanel-feature").hidden).toBe(false);
  expect(mounted.model.get("feature")).toBe("BMI");
});

test("arrow keys move in the grid, Enter opens and leaves the focus on the tab", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  const [first, second, , fourth] = names(mounted);
  cardOf(mounted, first!).focus();
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => document.activeElement).toBe(cardOf(mounted, second!));
  expect(mounted.parts("card").filter(({ tabIndex }) => tabIndex === 0).length).toBe(1);
  await userEvent.keyboard("{ArrowLeft}");
  await expect.poll(() => document.activeElement).toBe(cardOf(mounted, first!));
  await userEvent.keyboard("{ArrowDown}");
  await expect.poll(() => document.activeElement).toBe(cardOf(mounted, fourth!));
  await userEvent.keyboard("{Enter}");
  await mounted.drawn(fourth!);
  expect(document.activeElement).toBe(mounted.part("tab-feature"));
});

function manyFeatures(count: number): FakeKernel {
  const data = clinic(30);
  const features = Array.from({ length: count }, (_, copy) => ({ ...data.features[copy % 8]!, name: `f${copy}` }));
  return new FakeKernel({ ...data, features });
}

test("of many features only the cards in view exist, and only theirs are asked for", async () => {
  const many = manyFeatures(60);
  const mounted = await all(many.model({ feature: "f0", _view: shown }));
  expect(mounted.parts("card").length).toBeLessThan(25);
  const before = asked(mounted.model);
  expect(before.length).toBeLessThan(25);
  expect(new Set(before).size).toBe(before.length);
  const scroll = mounted.part("grid-scroll");
  scroll.scrollTop = scroll.scrollHeight;
  const last = mounted.order().at(-1)!;
  await expect.poll(() => asked(mounted.model)).toContain(last);
  await expect.poll(() => ink(lines(cardOf(mounted, last)))).toBeGreaterThan(0);
  expect(asked(mounted.model).length).toBeLessThan(50);
});

test("the card with the focus outlives its row, and the keys take the view back to it", async () => {
  const mounted = await all(manyFeatures(60).model({ feature: "f0", _view: shown }));
  const [first, second] = names(mounted);
  cardOf(mounted, first!).focus();
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => document.activeElement).toBe(cardOf(mounted, second!));
  mounted.part("grid-scroll").scrollTop = 2000;
  await expect.poll(() => names(mounted)).not.toContain(first);
  expect(document.activeElement).toBe(cardOf(mounted, second!));
  await userEvent.keyboard("{ArrowLeft}");
  await expect.poll(() => document.activeElement).toBe(cardOf(mounted, first!));
  expect(mounted.part("grid-scroll").scrollTop).toBe(0);
  await userEvent.keyboard("{End}");
  await expect.poll(() => (document.activeElement as HTMLElement).dataset.feature).toBe(mounted.order().at(-1));
});

test("a feature opened elsewhere comes into view", async () => {
  const mounted = await all(manyFeatures(60).model({ feature: "f0", _view: shown }));
  const last = mounted.order().at(-1)!;
  mounted.model.push("feature", last);
  await expect.poll(() => names(mounted)).toContain(last);
  expect(cardOf(mounted, last).getAttribute("aria-selected")).toBe("true");
});

test("features still to come say so and are asked for when they are there", async () => {
  const mounted = await all(kernel.model({ ...kernel.partial(3), feature: "Age", _view: shown }));
  const height = () => cardOf(mounted, "Height").querySelector("[data-test=card-message]")!.textContent;
  expect(height()).toBe("Not computed yet.");
  expect(mounted.part("grid-about").textContent).toMatch(/^3 of 8 features so far/);
  expect(asked(mounted.model)).not.toContain("Height");
  const whole = kernel.model();
  for (const key of ["_impact", "_profile", "_status"] as const) mounted.model.push(key, whole.get(key));
  await expect.poll(() => asked(mounted.model)).toContain("Height");
  await expect.poll(height).toBe("");
});

test("an answer that failed is said in its card, and the others go on", async () => {
  const model = kernel.model({ feature: "Age", _view: shown });
  const answer = model.answer;
  model.answer = (request) =>
    request.type === "curves" && request.feature === "BMI"
      ? { reply: { id: request.id, type: "error", message: "The model failed." } }
      : answer(request);
  const mounted = await all(model);
  expect(cardOf(mounted, "BMI").querySelector("[data-test=card-message]")!.textContent).toBe("The model failed.");
  await expect.poll(() => ink(lines(cardOf(mounted, "Height")))).toBeGreaterThan(100);
});

test("colours and hidden levels are those of all cards", async () => {
  const mounted = await all(kernel.model({ feature: "Age", _view: shown }));
  choose(mounted.part("color-by"), "Smoker");
  const legend = mounted.part("grid-legend");
  await expect.poll(() => legend.textContent).toBe("Smokerfalsetrue");
  const canvas = lines(cardOf(mounted, "BMI"));
  await frame();
  const before = ink(canvas);
  await userEvent.click(legend.querySelector("[data-level='0']")!);
  await expect.poll(() => ink(canvas)).toBeLessThan(0.8 * before);
});

test("selected rows are marked in every card, asked for where they are not drawn", async () => {
  const mounted = await all(kernel.model({ feature: "Age", selection: [1, 33], _view: shown }));
  const rows = (feature: string) =>
    [...cardOf(mounted, feature).querySelectorAll<SVGElement>("[data-test=small-selected]")].map(
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
