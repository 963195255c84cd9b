/** Several models: paired bars, curves on one axis, and the choice of the open one. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { fourModels as four, twoModels as two } from "../../dev/explorers.ts";
import { choose, frame, ink, kernel, type mount, mountDrawn } from "./mount.ts";

type Mounted = ReturnType<typeof mount>;

const barsOf = (bar: HTMLElement) => [...bar.querySelectorAll<HTMLElement>("[data-test=bar-model]")];
const fills = (bar: HTMLElement) => barsOf(bar).map(({ style }) => Number(style.getPropertyValue("--fill")));
const select = ({ part }: Mounted, name: string) => part<HTMLSelectElement>(name);
const labels = ({ parts }: Mounted) =>
  parts("legend-level")
    .filter((level) => level.getAttribute("aria-pressed") === "true")
    .map((level) => level.querySelector(".ice-legend-label")!.textContent);

test("with one model there are no bars, no key, no menu and no requests of models", async () => {
  const mounted = await mountDrawn();
  const { part, parts, model } = mounted;
  expect([parts("bar-model").length, parts("legend-level").length]).toEqual([0, 0]);
  expect(part("models-key").checkVisibility()).toBe(false);
  const narrow = await mountDrawn(kernel.model({ feature: "Age" }), 400);
  expect(narrow.part("models-key").checkVisibility()).toBe(false);
  expect(part("model").closest("label")!.hidden).toBe(true);
  const texts = (name: string) => [...select(mounted, name).options].map(({ text }) => text);
  expect(texts("rank-by")).not.toContain("disagreement");
  expect(texts("color-by")).not.toContain("Model");
  expect(model.sent.some((sent) => "model" in sent)).toBe(false);
});

test("each feature has a bar for each model, in its colour, beside its figure; the tooltip has all figures", async () => {
  const mounted = await mountDrawn(two.model({ feature: "Age" }));
  const bar = mounted.bar("Age");
  const [logistic, trees] = barsOf(bar);
  expect(logistic!.dataset.open).toBe("");
  expect(trees!.dataset.open).toBeUndefined();
  expect(logistic!.style.getPropertyValue("--ice-line")).toBe("rgb(0, 114, 178)");
  expect(fills(bar)[0]).toBeGreaterThan(fills(bar)[1]!);
  expect(logistic!.getBoundingClientRect().bottom).toBeLessThanOrEqual(trees!.getBoundingClientRect().top);
  const figures = [...bar.querySelectorAll("[data-test=bar-figure] > span")];
  expect(figures.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^0\.\d/),
    expect.stringMatching(/^0\.\d/),
  ]);
  for (const [at, part] of [logistic!, trees!].entries()) {
    const [box, figure] = [part.getBoundingClientRect(), figures[at]!.getBoundingClientRect()];
    expect((box.top + box.bottom) / 2).toBeCloseTo((figure.top + figure.bottom) / 2, 0);
  }
  expect(mounted.part("models-key").textContent).toBe("logistictreesranked by logistic");
  const figure = "0\\.\\d+, 0\\.\\d+ in-distribution impact of logistic, trees";
  expect(bar.getAttribute("aria-label")).toMatch(new RegExp(`^Age, ${figure}, net change up, rank 1 of 8`));
  await userEvent.hover(bar);
  const text = () => mounted.part("tooltip").textContent!;
  const ofModel = (name: string) => `${name}: in-distribution impact0\\.\\d+, rank \\d`;
  await expect.poll(text).toMatch(new RegExp(`${ofModel("logistic")}${ofModel("trees")}disagreement0\\.\\d+`));
});

test("the bar of each model has the sign of that model, and the words name all where they differ", async () => {
  const mounted = await mountDrawn(four.model({ feature: "Age" }));
  const labels = mounted.parts("bar").flatMap((bar) => {
    const signs = [...bar.querySelectorAll("[data-test=bar-sign] > span")].map(({ textContent }) => textContent);
    const ways = signs.map((sign) => ({ "▲": "net change up", "▼": "net change down" })[sign!] ?? "no direction");
    return new Set(ways).size === 1 ? [] : [[bar.getAttribute("aria-label"), ways.join(", ")]];
  });
  expect(labels.length).toBeGreaterThan(0);
  for (const [label, ways] of labels) expect(label).toContain(`, ${ways}, rank`);
});

test("the curves of both models share the axes, each with its mean and its name, until the legend hides it", async () => {
  const mounted = await mountDrawn(two.model({ feature: "Age" }));
  expect(mounted.root.dataset.drawnLines).toBe("400");
  expect(mounted.parts("group-mean").length).toBe(2);
  expect(mounted.parts("partial-dependence").length).toBe(0);
  expect(labels(mounted)).toEqual(["logistic", "trees"]);
  expect(mounted.part("y-title").textContent).toBe("↑ probability of readmitted");
  expect(mounted.part("sentence").textContent).toMatch(
    /^ logistic: On average the probability of readmitted rises .* trees: rises from/,
  );
  expect(mounted.part("plot").getAttribute("aria-label")).toMatch(/^Age: 200 curves of each of 2 models\./);
  await expect
    .poll(() => mounted.part("summary").textContent, { timeout: 3000 })
    .toMatch(/200 of 200 observations drawn.* The mean of trees goes from 0\.\d+ to 0\.\d+\./);
  const all = ink(mounted.part("curves-canvas"));
  await userEvent.click(mounted.parts("legend-level")[0]!);
  await expect.poll(() => labels(mounted)).toEqual(["trees"]);
  expect(mounted.parts("group-mean").length).toBe(1);
  await expect.poll(() => ink(mounted.part("curves-canvas"))).toBeLessThan(all);
});

test("a menu opens the other model: it orders the bars, and the sentence is about it", async () => {
  const mounted = await mountDrawn(two.model({ feature: "Age" }));
  const menu = select(mounted, "model");
  expect([...menu.options].map(({ value }) => value)).toEqual(["logistic", "trees"]);
  choose(menu, "trees");
  await expect.poll(() => mounted.part("models-key").textContent).toBe("logistictreesranked by trees");
  await expect.poll(() => mounted.part("sentence").textContent).toMatch(/^ trees: .* logistic: /);
  await expect.poll(() => mounted.bar("Age").getAttribute("aria-label")).toMatch(/impact of logistic, trees/);
  expect(mounted.model.saved).toEqual([["model", "trees"]]);
  const values = mounted.order().map((name) => fills(mounted.bar(name))[1]!);
  expect(values).toEqual([...values].sort((a, b) => b - a));
});

test("colouring by a column shows the open model alone, and 'Model' brings the others back", async () => {
  const mounted = await mountDrawn(two.model({ feature: "Age", model: "trees" }));
  const menu = select(mounted, "color-by");
  expect([...menu.options].slice(0, 2).map(({ text }) => text)).toEqual(["Model", "nothing"]);
  expect(menu.selectedIndex).toBe(0);
  choose(menu, "Smoker");
  await expect.poll(() => mounted.root.dataset.drawnLines).toBe("200");
  expect(mounted.part("y-title").textContent).toBe("↑ probability of readmitted (trees)");
  choose(menu, "models");
  await expect.poll(() => mounted.root.dataset.drawnLines).toBe("400");
  choose(menu, "");
  await expect.poll(() => mounted.root.dataset.drawnLines).toBe("200");
  expect(menu.selectedIndex).toBe(1);
  expect(mounted.parts("partial-dependence").length).toBe(1);
});

test("ranked by disagreement a feature has one bar, and its words name the models", async () => {
  const mounted = await mountDrawn(four.model({ feature: "Age" }));
  expect(barsOf(mounted.bar("Age")).length).toBe(4);
  await choose(mounted.part("rank-by"), "disagreement");
  expect(mounted.parts("bar-model").length).toBe(0);
  expect(mounted.part("models-key").hidden).toBe(true);
  // Directions of two models are not one.
  expect(mounted.part("signs").hidden).toBe(true);
  expect(mounted.parts("bar").some(({ dataset }) => ["up", "down"].includes(dataset.sign!))).toBe(false);
  const first = mounted.bar(mounted.order()[0]!);
  expect(first.getAttribute("aria-label")).toMatch(/^.+, 0\.\d+ disagreement of .+ and .+, /);
  expect(mounted.part("intervals").closest("label")!.hidden).toBe(true);
});

test("a row is selected with its curves by all models, and arrow keys go from row to row", async () => {
  const mounted = await mountDrawn(two.model({ feature: "Age", selection: [33] }));
  await expect.poll(() => mounted.parts("selected-line").map(({ dataset }) => dataset.row)).toEqual(["33", "33"]);
  mounted.part("plot").focus();
  mounted.model.push("selection", []);
  await frame();
  const rows = new Set<string | undefined>();
  let said = "";
  for (let step = 0; step < 3; step++) {
    await userEvent.keyboard("{ArrowUp}");
    await expect.poll(() => mounted.parts("hovered-line").length).toBe(2);
    rows.add(mounted.part("hovered-line").dataset.row);
    said += mounted.part("tooltip").textContent;
  }
  expect(rows.size).toBe(3);
  expect(said).toMatch(/logistic at .+0\.\d+trees at .+0\.\d+/);
});
