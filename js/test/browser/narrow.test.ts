/** A narrow cell: a few bars, and the curves in sight; and what stands over the bars in any cell. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { manyFeatures } from "../../dev/made_up.ts";
import { kernel, mountDrawn, mountFrame } from "./mount.ts";

const ranks = (bars: HTMLElement[]) =>
  bars
    .filter(({ dataset }) => dataset.feature !== undefined)
    .map(({ dataset }) => Number(dataset.rank))
    .sort((a, b) => a - b);

test("in a narrow cell five bars stand over the curves, and all of them at a press", async () => {
  const { part, parts, root } = await mountFrame(manyFeatures(30, { feature: "" }), 700);
  expect(root.dataset.layout).toBe("narrow");
  expect(ranks(parts("bar"))).toEqual([1, 2, 3, 4, 5]);
  expect(part("ranking-count").textContent).toBe("5 of 30");
  const whole = part("ranking-whole");
  expect([whole.textContent, whole.getAttribute("aria-expanded")]).toEqual(["all 30 …", "false"]);
  expect(parts("bar").every((bar) => bar.getAttribute("aria-setsize") === "30")).toBe(true);
  whole.click();
  await expect.poll(() => parts("bar").length).toBe(30);
  await expect.poll(() => part("ranking-count").textContent).toBe("13 of 30, scroll for more");
  expect([whole.textContent, whole.getAttribute("aria-expanded")]).toEqual(["fewer", "true"]);
  whole.click();
  await expect.poll(() => parts("bar").length).toBe(5);
});

test("the open feature has a row, wherever it ranks, and the keyboard walks through all", async () => {
  const { parts, model } = await mountFrame(manyFeatures(30, { feature: "" }), 700);
  const [last] = parts("bar").filter(({ dataset }) => dataset.rank === "5");
  last!.focus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.poll(() => ranks(parts("bar"))).toEqual([1, 2, 3, 4, 6]);
  const focused = document.activeElement as HTMLElement;
  expect([focused.dataset.rank, focused.getAttribute("aria-posinset")]).toEqual(["6", "6"]);
  expect(model.get("feature")).toBe(focused.dataset.feature);
  await userEvent.keyboard("{End}");
  await expect.poll(() => ranks(parts("bar"))).toEqual([1, 2, 3, 4, 30]);
});

test.each([
  ["under the ranking, before the curves", 1000, Node.DOCUMENT_POSITION_FOLLOWING],
  ["under the curves in a narrow cell", 700, Node.DOCUMENT_POSITION_PRECEDING],
])("the Tab key reaches the row where it stands: %s", async (_where, width, plotIs) => {
  const { part } = await mountFrame(kernel.model({ feature: "Age" }), width);
  expect(part("row").compareDocumentPosition(part("plot"))).toBe(plotIs);
});

test("a wide cell shows all there is room for, and counts them", async () => {
  const { part, parts } = await mountFrame(manyFeatures(30), 1000);
  expect(parts("bar").length).toBe(30);
  expect([part("ranking-count").textContent, part("ranking-whole").hidden]).toEqual([
    "20 of 30, scroll for more",
    true,
  ]);
});

test("a click on a bar brings the curves into sight where they stand below", async () => {
  const { bar, part, root, drawn } = await mountDrawn(kernel.model({ feature: "Age" }), 500);
  const space = document.createElement("div");
  space.style.height = `${window.innerHeight - 200}px`;
  root.before(space);
  const isInSight = () => part("plot").getBoundingClientRect().bottom <= window.innerHeight;
  expect(isInSight()).toBe(false);
  bar("BMI").click();
  await expect.poll(isInSight).toBe(true);
  await drawn("BMI");
});

test("a question about a feature that looks like the target stands over everything", async () => {
  const question = "'Marker' nearly determines the prediction. Is it the target?";
  const _header = { ...kernel.header, alerts: [question] };
  const { part, model } = await mountDrawn(kernel.model({ feature: "Age", _header }));
  expect([part("alerts").textContent, part("alerts").checkVisibility()]).toEqual([question, true]);
  model.push("_header", kernel.header);
  await expect.poll(() => part("alerts").checkVisibility()).toBe(false);
});

test("what is predicted and what was observed have the names that the user gave them", async () => {
  const _header = { ...kernel.header, output_label: "prediction of stays", target_name: "stays" };
  const { part } = await mountDrawn(kernel.model({ feature: "Age", _header }));
  expect(part("y-title").textContent).toBe("↑ prediction of stays");
  expect(part("curves").textContent).toContain("observed stays");
  part("plot").focus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.poll(() => part("tooltip").textContent).toContain("prediction there");
});
