/** The ranking where it is long: rows that exist, rows that are found, and how figures are counted. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { rentals } from "../../dev/explorers.ts";
import { manyFeatures, someOfMany } from "../../dev/made_up.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { meaningOf, RANK_LABELS } from "../../src/text/metric_names.ts";
import type { RankBy } from "../../src/wire/protocol.ts";
import { choose, frame, kernel, letGo, mount, mountFrame, press, questions, slideTo } from "./mount.ts";

const scrollOf = (root: HTMLElement) => root.querySelector<HTMLElement>(".ice-bars-scroll")!;
const scrollTo = async (root: HTMLElement, top: number): Promise<void> => {
  scrollOf(root).scrollTop = top;
  await frame();
  await frame();
};
const search = (root: HTMLElement, text: string): Promise<void> =>
  slideTo(root.querySelector<HTMLElement>("[data-test=search]")!, text);

test("of two thousand features only those in view have elements, and all of them room; what is seen stands where it should", async () => {
  const { root, parts, order } = await mountFrame(manyFeatures(2000));
  expect(parts("bar").length).toBeLessThan(40);
  expect(scrollOf(root).scrollHeight).toBe(2000 * 24);
  await scrollTo(root, 1000 * 24);
  const ranks = parts("bar").map(({ dataset }) => Number(dataset.rank));
  expect(ranks).toEqual(expect.arrayContaining([1001, 1010, 1020]));
  expect(parts("bar").length).toBeLessThan(40);
  for (const bar of parts("bar")) {
    expect(bar.getAttribute("aria-setsize")).toBe("2000");
    expect(bar.getAttribute("aria-posinset")).toBe(bar.dataset.rank);
  }
  expect(order().length).toBe(new Set(order()).size);
  await scrollTo(root, 500 * 24);
  await Promise.all(root.getAnimations({ subtree: true }).map(({ finished }) => finished));
  const top = scrollOf(root).getBoundingClientRect().top;
  const seen = parts("bar").find(({ dataset }) => dataset.rank === "503")!;
  expect(Math.round(seen.getBoundingClientRect().top - top)).toBe(2 * 24);
});

test("the keyboard walks by rows, by pages and to the ends, and its row has the focus", async () => {
  const { parts, root, model } = await mountFrame(manyFeatures(2000, { feature: "" }));
  const focused = () => (document.activeElement as HTMLElement).dataset.rank;
  parts("bar")
    .find(({ dataset }) => dataset.rank === "1")!
    .focus();
  await userEvent.keyboard("{End}");
  expect(focused()).toBe("2000");
  await userEvent.keyboard("{ArrowUp}");
  expect(focused()).toBe("1999");
  await userEvent.keyboard("{PageUp}{PageUp}");
  const page = Math.floor(scrollOf(root).clientHeight / 24) - 1;
  expect(focused()).toBe(String(1999 - 2 * page));
  await userEvent.keyboard("{Home}{PageDown}{ArrowDown}");
  expect(focused()).toBe(String(page + 2));
  expect(model.get("feature")).toBe((document.activeElement as HTMLElement).dataset.feature);
  const view = scrollOf(root).getBoundingClientRect();
  const row = document.activeElement!.getBoundingClientRect();
  expect(row.top).toBeGreaterThanOrEqual(view.top - 1);
  expect(row.bottom).toBeLessThanOrEqual(view.bottom + 1);
});

test("the Tab key reaches one row, also where that is out of view; a focused row stays", async () => {
  const { parts, root, part, bar, model } = await mountFrame(manyFeatures(2000));
  await scrollTo(root, 0);
  const row = parts("bar").find(({ dataset }) => dataset.rank === "3")!;
  row.focus();
  await scrollTo(root, 30000);
  expect(document.activeElement).toBe(row);
  await slideTo(part("decay-slider"), 0.05);
  letGo(part("decay-slider"));
  expect(document.activeElement).toBe(row);
  await userEvent.keyboard("{ArrowDown}");
  expect(Number((document.activeElement as HTMLElement).dataset.rank)).toBe(Number(row.dataset.rank) + 1);
  await scrollTo(root, 30000);
  const reached = parts("bar").filter(({ tabIndex }) => tabIndex === 0);
  expect(reached).toEqual([bar(model.get("feature"))]);
});

test("rows take their new places at once, and no more exist afterwards than are in view", async () => {
  const { root, part, parts } = await mountFrame(manyFeatures(2000, { decay: 1 }));
  await slideTo(part("decay-slider"), 0.01);
  expect(root.querySelector("[data-test=bars]")!.getAnimations({ subtree: true })).toEqual([]);
  expect(root.querySelectorAll("[data-test=bars] > *").length).toBe(parts("bar").length);
  letGo(part("decay-slider"));
});

test("pending features follow the others in the order of the data, however many", async () => {
  const { parts } = await mountFrame(someOfMany(2000, 7));
  const pending = parts("bar").filter(({ dataset }) => dataset.pending !== undefined);
  const sorted = pending.sort((a, b) => Number(a.dataset.rank) - Number(b.dataset.rank));
  expect(sorted.slice(0, 3).map(({ dataset }) => [dataset.rank, dataset.feature])).toEqual([
    ["8", "iron 1"],
    ["9", "glucose 2"],
    ["10", "Créatinine 2"],
  ]);
});

test("a search shows the features that have it in their names and their ranks among all; Escape ends it", async () => {
  const { root, part, order, parts, bar } = await mountFrame(manyFeatures(40));
  const all = order();
  expect(part("search-count").textContent).toBe("");
  await search(root, "CREAT");
  expect(order()).toEqual(all.filter((name) => name.startsWith("Créatinine")));
  expect(part("search-count").textContent).toBe("5 of 40 features");
  const first = bar(order()[0]!);
  expect(first.getAttribute("aria-setsize")).toBe("5");
  expect(first.getAttribute("aria-posinset")).toBe("1");
  expect(Number(first.dataset.rank)).toBe(all.indexOf(order()[0]!) + 1);
  expect(parts("bar").filter(({ tabIndex }) => tabIndex === 0).length).toBe(1);
  part("search").focus();
  await search(root, " <b>zzz");
  expect(order()).toEqual([]);
  expect(part("ranking-remark").textContent).toBe("No feature’s name contains “<b>zzz”.");
  expect(part("search-count").textContent).toBe("0 of 40 features");
  await press("{Escape}");
  expect(order()).toEqual(all);
  expect(part("ranking-remark").hidden).toBe(true);
  expect(document.activeElement).toBe(part("search"));
  const few = await mountFrame(manyFeatures(20));
  expect(few.root.querySelector<HTMLElement>(".ice-search-row")!.hidden).toBe(true);
});

test("the key of the bars names signs as far as the bars that are listed have some", async () => {
  const { features } = rentals.header;
  const nameOf = (at: number) => `${features[at % features.length]!.name} ${at}`;
  const { root, part } = await mountFrame(manyFeatures(36, {}, nameOf, rentals));
  expect(part("signs").textContent).toBe("▲▼net rise or fall");
  await search(root, "District");
  expect(part("signs").hidden).toBe(true);
});

test("from the search Enter opens the first feature found, and the arrow goes to the bars", async () => {
  const { root, part, order, model } = await mountFrame(manyFeatures(40));
  await search(root, "sodium");
  part("search").focus();
  await userEvent.keyboard("{ArrowDown}");
  expect((document.activeElement as HTMLElement).dataset.feature).toBe(order()[0]);
  await userEvent.keyboard("{ArrowDown}");
  expect(model.get("feature")).toBe(order()[1]);
  part("search").focus();
  await userEvent.keyboard("{Enter}");
  expect(model.get("feature")).toBe(order()[0]);
});

// Disagreement is of several models, and no value is missing.
const offered = (Object.keys(RANK_LABELS) as RankBy[]).filter((name) => !/disagreement|missing/.test(name));
test.each(offered)("bars can show the %s, with a sentence that says what it is", async (metric) => {
  const { part, bar, model } = mount(kernel.model({ feature: "Age" }));
  await frame();
  await choose(part("rank-by"), metric);
  expect(model.get("rank_by")).toBe(metric);
  const select = part<HTMLSelectElement>("rank-by");
  const sentence = meaningOf(metric, "step");
  expect(document.getElementById(select.getAttribute("aria-describedby")!)!.textContent).toBe(sentence);
  expect(bar("Age").getAttribute("aria-label")).toContain(` ${RANK_LABELS[metric]}, net change up, rank `);
});

test("where no value is missing the ranking says why there is no figure", async () => {
  const { part, bar } = await mountFrame(kernel.model({ rank_by: "missing_impact" }));
  expect(part("ranking-remark").textContent).toBe("No feature has missing values, so none has a missing impact.");
  expect(bar("Age").querySelector("[data-test=bar-figure]")!.textContent).toBe("–");
  const options = () => [...part<HTMLSelectElement>("rank-by").options].map(({ value }) => value);
  expect(options()).toContain("missing_impact"); // it is chosen
  await choose(part("rank-by"), "impact");
  expect(options()).toEqual(offered);
});

const marker = () => kernel.model({ feature: "Marker", rank_by: "impact" });

test("impact is counted otherwise by the kernel, in one message, and the figures follow", async () => {
  const model = marker();
  model.delay = 120;
  const { part, bar, drawn } = mount(model);
  await drawn("Marker");
  const asked = questions(model);
  const figure = () => bar("Marker").querySelector("[data-test=bar-figure]")!.textContent;
  const before = figure();
  part("convention-paper").click();
  await frame();
  expect(part("ranking").getAttribute("aria-busy")).toBe("true");
  expect(model.saved).toEqual([["convention", "paper"]]);
  await expect.poll(() => part("ranking").getAttribute("aria-busy")).toBeNull();
  expect(figure()).not.toBe(before);
  expect(part("status-text").textContent).toContain("impact as in the paper");
  part("convention-step").click();
  await expect.poll(figure).toBe(before);
  expect(questions(model)).toBe(asked);
});

test("how impact is counted is chosen in the details, which are folded, each choice with a sentence", async () => {
  const { part } = await mountFrame(kernel.model({ rank_by: "non_linearity" }));
  expect(part<HTMLDetailsElement>("details").open).toBe(false);
  expect(part("rank-by-text").textContent).toContain("mean absolute deviation");
  const radios = [...part("details").querySelectorAll<HTMLInputElement>("[data-test^=convention-]")];
  expect(radios.map(({ value }) => value)).toEqual(["step", "paper"]);
  for (const radio of radios) {
    radio.click();
    await frame();
    expect(radios.filter(({ checked }) => checked)).toEqual([radio]);
    const sentence = document.getElementById(radio.getAttribute("aria-describedby")!)!.textContent;
    expect(sentence).toMatch(/^[A-Z].*\.$/);
  }
  expect(part("rank-by-text").textContent).toContain("its standard deviation, times");
});

/** The figures of a computation that ends: tables, the open feature and the status come one after another, as from Python. */
async function complete(model: FakeModel, whole: FakeModel, feature: string): Promise<void> {
  for (const name of ["_impact", "_profile"] as const) model.push(name, whole.get(name));
  await frame();
  model.push("feature", feature);
  await frame();
  model.push("_status", whole.get("_status"));
  await frame();
}

test("the list opens at its top where the open feature is the first, also when it is sorted after that was opened", async () => {
  const whole = manyFeatures(120, { rank_by: "impact", feature: "" });
  const best = "glucose 12"; // the 89th column
  const model = someOfMany(120, 1);
  model.push("rank_by", "impact");
  model.push("feature", "");
  const { root, bar } = await mountFrame(model);
  await complete(model, whole, best);
  await expect.poll(() => bar(best).getAttribute("aria-posinset")).toBe("1");
  expect(scrollOf(root).scrollTop).toBe(0);
});

test("the list keeps where it was scrolled while features are computed", async () => {
  const whole = manyFeatures(30);
  const model = someOfMany(30, 1);
  const opened = whole.get("_header").features[20]!.name;
  model.push("feature", opened);
  const { root, bar } = await mountFrame(model);
  expect(scrollOf(root).scrollTop).toBeGreaterThan(0);
  await scrollTo(root, 48);
  await complete(model, whole, opened);
  await expect.poll(() => bar(opened).dataset.pending).toBeUndefined();
  expect(scrollOf(root).scrollTop).toBe(48);
});
