import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { additive, rentals } from "../../dev/explorers.ts";
import { noColumn } from "../../dev/made_up.ts";
import { explanation } from "../../src/text/glossary.ts";
import { choose, frame, ink, kernel, type Mounted, mountDrawn, openMenu } from "./mount.ts";

/** What is coloured by, and how. */
const coloring = ({ model }: Mounted) => [model.get("color_by"), model.get("_view").coloring];
const levels = ({ parts }: Mounted) => parts("legend-level").map(({ textContent }) => textContent);
const explained = ({ part }: Mounted) => expect.poll(() => part("drivers").dataset.state).toBe("ready");

test("what makes the curves differ is asked after the curves: how much, by what, and how many rows that rests on", async () => {
  const { model, part, parts } = await mountDrawn();
  await expect.poll(() => part("drivers").dataset.state).toBe("ready");
  expect(part("drivers-lead").textContent).toMatch(/^Curves differ \(\d+ % of their variance\)\. Explained by:$/);
  const chips = parts("driver");
  expect(chips.length).toBeLessThanOrEqual(3);
  expect(chips[0]!.textContent).toMatch(/^Smoker is true 7\d\u00a0% of the variance between curves colour$/);
  const { explanationTitle, explanation: text } = chips[0]!.dataset;
  expect(explanationTitle).toMatch(/^Smoker is true: 7\d\u00a0%$/);
  expect(text).toBe(`91 rows, all others: 209 rows.\n${explanation("split").text}`);
  expect(part("drivers-lead").dataset.explanation).toBe(explanation("curves_differ").text);
  const types = model.sent.map(({ type }) => type);
  expect(types.indexOf("drivers")).toBeGreaterThan(types.indexOf("curves"));
});

test("a click on a chip parts the lines by colour, another takes it back", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", color_by: "BMI" }));
  const { part, parts } = mounted;
  await expect.poll(() => parts("driver").length).toBeGreaterThan(0);
  parts("driver")[0]!.click();
  await expect.poll(() => levels(mounted)).toEqual(["Smoker is false 209 rows", "Smoker is true 91 rows"]);
  expect(coloring(mounted)).toEqual(["Smoker", "driver"]);
  expect(parts("driver")[0]!.getAttribute("aria-pressed")).toBe("true");
  expect(part<HTMLSelectElement>("color-by").selectedOptions[0]!.text).toMatch(/^Smoker is true · 7\d\u00a0%$/);
  parts("driver")[0]!.click();
  await expect.poll(() => coloring(mounted)).toEqual(["BMI", "value"]);
  await expect.poll(() => parts("driver")[0]!.getAttribute("aria-pressed")).toBe("false");
});

test("the sides hide and show like any levels, and the filter is lifted with the split", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", color_by: "Smoker", _view: { coloring: "driver" } }));
  const { part, parts } = mounted;
  await expect.poll(() => levels(mounted)[0]).toBe("Smoker is false 209 rows");
  await frame();
  const canvas = part("curves-canvas");
  const before = ink(canvas);
  parts("legend-level")[1]!.click();
  await expect.poll(() => ink(canvas)).toBeLessThan(before * 0.95);
  choose(part("color-by"), "Smoker");
  await expect.poll(() => levels(mounted)).toEqual(["False 209 rows", "True 91 rows"]);
  expect(parts("legend-level").map((level) => level.getAttribute("aria-pressed"))).toEqual(["true", "true"]);
});

test("numbers colour on a ramp or at their median; levels have but one way", async () => {
  const mounted = await mountDrawn(rentals.model({ feature: "Built", color_by: "Area" }));
  const { model, part } = mounted;
  await openMenu(mounted);
  await expect.poll(() => part("coloring").checkVisibility()).toBe(true);
  expect(part<HTMLSelectElement>("coloring").value).toBe("value");
  choose(part("coloring"), "median");
  // Rows without a value are a level of their own.
  await expect.poll(() => levels(mounted).map((level) => level?.slice(0, 6))).toEqual(["Area ≤", "Area >", "missin"]);
  expect(model.get("_view").coloring).toBe("median");
  choose(part("color-by"), "Energy class");
  await expect.poll(() => part("coloring").checkVisibility()).toBe(false);
  expect(levels(mounted)[0]).toMatch(/^A \d+ rows?$/);
});

test("the list of colours begins with what explains the differences, and offers all columns", async () => {
  const mounted = await mountDrawn();
  const select = mounted.part<HTMLSelectElement>("color-by");
  await explained(mounted);
  await expect
    .poll(() => [...select.querySelectorAll("optgroup")].map(({ label }) => label))
    .toEqual(["Explains the differences", "All columns"]);
  expect([...select.options].map(({ value }) => value)).toEqual(expect.arrayContaining(["Ward"]));
  const named = (words: string) => [...select.options].find(({ text }) => text.includes(words))!.value;
  choose(select, named("Smoker is true ·"));
  await expect.poll(() => coloring(mounted)).toEqual(["Smoker", "driver"]);
  choose(select, "Ward");
  await expect.poll(() => coloring(mounted)).toEqual(["Ward", "value"]);
});

test("the curves of an additive model do not differ", async () => {
  const { part, parts } = await mountDrawn(additive.model({ feature: "Age" }));
  await expect.poll(() => part("drivers").dataset.state).toBe("nothing");
  expect(part("drivers").hidden).toBe(true);
  expect(parts("driver").length).toBe(0);
  expect(part("color-by").querySelectorAll("optgroup").length).toBe(1);
});

test("rules are shown on demand, and what is computed does not move the plot", async () => {
  const mounted = await mountDrawn(rentals.model({ feature: "Area" }));
  const { part } = mounted;
  const top = part("plot").getBoundingClientRect().top;
  await expect.poll(() => part("drivers").dataset.state).toBe("ready");
  await frame();
  expect(part("plot").getBoundingClientRect().top).toBe(top);
  expect(part("driver").checkVisibility()).toBe(false);
  part("why").click();
  await expect.poll(() => part("driver").checkVisibility()).toBe(true);
});

test("the sentence says how groups differ; a click on them colours by the split and shows the change, another one restores", async () => {
  const mounted = await mountDrawn();
  const { model, part, parts } = mounted;
  await expect
    .poll(() => part("sentence").innerText)
    .toMatch(/^\+0\.6\d+ on average, but not one effect: \+0\.9\d+ where Smoker/);
  expect(part("facts").hidden).toBe(true);
  const split = part("sentence-split");
  const inks = [...split.querySelectorAll<HTMLElement>(".ice-sentence-group")].map(({ style }) => style.color);
  split.click();
  await expect.poll(() => coloring(mounted)).toEqual(["Smoker", "driver"]);
  expect(model.get("kind")).toBe("c-ice");
  await expect.poll(() => split.getAttribute("aria-pressed")).toBe("true");
  await expect.poll(() => parts("group-mean").length).toBe(2);
  const lines = parts("group-mean").map((mean) => mean.style.getPropertyValue("--ice-line"));
  const plain = (color: string) => color.replaceAll(" ", "");
  expect(lines.map(plain)).toEqual([...inks].reverse().map(plain));
  split.focus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => coloring(mounted)).toEqual([null, "value"]);
  expect(model.get("kind")).toBe("ice");
  split.click();
  await expect.poll(() => coloring(mounted)).toEqual(["Smoker", "driver"]);
  choose(part("color-by"), "Ward");
  const colors = () => [...split.querySelectorAll<HTMLElement>(".ice-sentence-group")].map(({ style }) => style.color);
  await expect.poll(colors).toEqual(["", ""]);
  choose(part("color-by"), "");
  await expect.poll(colors).toEqual(inks);
  split.click();
  await expect.poll(() => coloring(mounted)).toEqual(["Smoker", "driver"]);
  mounted.bar("BMI").click();
  await expect.poll(() => [...coloring(mounted), model.get("kind")]).toEqual([null, "value", "c-ice"]);
});

test("names are at the ends of their lines where there is room, else under the plot, and hide their curves", async () => {
  const traits = { feature: "Age", color_by: "Smoker", _view: { coloring: "driver" as const } };
  const wide = await mountDrawn(kernel.model(traits));
  await expect.poll(() => levels(wide)).toEqual(["Smoker is false 209 rows", "Smoker is true 91 rows"]);
  expect(wide.part("legend").dataset.direct).toBe("true");
  const title = wide.part("legend-title");
  expect(title.innerText).toBe("Smoker");
  const tops = wide.parts("legend-level").map((level) => level.getBoundingClientRect().top);
  await expect.poll(() => Math.abs(Math.min(...tops) - title.getBoundingClientRect().bottom)).toBeLessThan(4);
  const ends = wide.parts("group-mean").map((mean) => mean.getBoundingClientRect().right);
  for (const level of [title, ...wide.parts("legend-level")]) {
    expect(level.getBoundingClientRect().left).toBeGreaterThan(Math.max(...ends));
  }
  wide.parts("legend-level")[0]!.click();
  await expect.poll(() => wide.parts("group-mean").length).toBe(1);
  const narrow = await mountDrawn(kernel.model(traits), 400);
  await expect.poll(() => narrow.parts("legend-level").length).toBe(2);
  expect(narrow.part("legend").dataset.direct).toBe("false");
  const { bottom } = narrow.part("plot").getBoundingClientRect();
  expect(narrow.part("legend").getBoundingClientRect().top).toBeGreaterThan(bottom);
});

test("a sentence about rows without groups has nothing to press", async () => {
  const model = kernel.model({ feature: "Age" });
  const text = "Hardly any change on average, but rows differ: the middle 90 % change by −1.0 to +1.0.";
  model.replying("drivers", { ...noColumn("Age"), sentence: [{ text, group: null }] });
  const { part } = await mountDrawn(model);
  await expect.poll(() => part("sentence").innerText.trim()).toBe(text);
  expect(part("sentence-split").hidden).toBe(true);
});
