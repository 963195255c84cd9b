import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { names } from "../../dev/explorers.ts";
import { manyFeatures } from "../../dev/made_up.ts";
import { decodeProfile } from "../../src/wire/tables.ts";
import { choose, frame, kernel, letGo, mount, mountFrame, questions, slideTo } from "./mount.ts";

test("a click, arrow keys and Python open a feature, which is marked in the ranking", async () => {
  const { bar, drawn, model, order } = await mountFrame();
  const [first, second, third] = order();
  await userEvent.click(bar(first!));
  await drawn(first!);
  expect([model.get("feature"), bar(first!).getAttribute("aria-selected")]).toEqual([first, "true"]);
  await userEvent.keyboard("{ArrowDown}");
  await drawn(second!);
  expect(document.activeElement).toBe(bar(second!));
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
  await drawn(third!);
  await userEvent.keyboard("{End}");
  await drawn(order().at(-1)!);
  model.push("feature", "BMI");
  await drawn("BMI");
  expect(["BMI", first!].map((name) => bar(name).getAttribute("aria-selected"))).toEqual(["true", "false"]);
});

test("beside a bar is by how many ranks the slider moved it from that at the default decay", async () => {
  const { part, order, bar } = await mountFrame(kernel.model({ feature: "Age" }));
  const before = order();
  const moved = (name: string) => bar(name).querySelector("[data-test=bar-moved]")!.textContent;
  expect(before.map(moved).join("")).toBe("");
  expect(part("moved-key").checkVisibility()).toBe(false);
  const topsNow = () => ["bars", "ranking-unit", "ranking-key"].map((name) => part(name).getBoundingClientRect().top);
  const tops = topsNow();
  await slideTo(part("decay-slider"), 0.02);
  expect(part("moved-key").checkVisibility()).toBe(true);
  expect(topsNow()).toEqual(tops);
  const after = order();
  const places = after.map((name, place) => before.indexOf(name) - place);
  expect(places.some((by) => by !== 0)).toBe(true);
  expect(after.map(moved)).toEqual(places.map((by) => (by === 0 ? "" : `${by > 0 ? "↑" : "↓"}${Math.abs(by)}`)));
  await slideTo(part("decay-slider"), 0.75);
  expect(before.map(moved).join("")).toBe("");
});

test("the slider re-sorts the bars and changes their figures without a question to the kernel", async () => {
  const { part, order, bar, model, drawn } = mount(kernel.model({ decay: 1 }));
  await drawn(kernel.top);
  const asked = questions(model);
  const before = order();
  const figure = bar("Age").textContent;
  const slider = part("decay-slider");
  for (let decay = 0.99; decay > 0.01; decay -= 0.02) slideTo(slider, decay);
  await slideTo(slider, 0.01);
  expect(order()).not.toEqual(before);
  expect(bar("Age").textContent).not.toBe(figure);
  letGo(slider);
  expect(questions(model)).toBe(asked);
  expect(model.get("decay")).toBe(0.01);
  expect(new Set(model.saved.map(([name]) => name))).toEqual(new Set(["decay"]));
});

test("the tick keeps the impact without decay while the bar decays; bars of other metrics have none", async () => {
  const { bar, part, order } = await mountFrame(kernel.model({ decay: 1 }));
  const length = (part: string) =>
    bar("Age").querySelector<HTMLElement>(`.ice-bar-${part}`)!.style.getPropertyValue(`--${part}`);
  expect(Number(length("fill"))).toBeCloseTo(Number(length("tick")), 5);
  await slideTo(part("decay-slider"), 0.05);
  expect(length("fill")).not.toBe(length("tick"));
  await choose(part("rank-by"), "non_linearity");
  expect(order()[0]).toBe("Steps a day");
  expect(bar("Age").querySelector<HTMLElement>(".ice-bar-tick")!.hidden).toBe(true);
  expect(part("ranking-key").hidden).toBe(true);
});

test("features still to be computed stand below the others as pending bars, until their figures arrive", async () => {
  const { parts, order, model } = await mountFrame(kernel.model(kernel.partial(3)));
  const pending = parts("bar").filter(({ dataset }) => dataset.pending !== undefined);
  expect(pending.map(({ dataset }) => dataset.feature)).toEqual(order().slice(3));
  expect(pending[0]!.dataset.computing).toBe("");
  expect(pending[0]!.getAttribute("aria-label")).toBe("Marker, not computed yet");
  const more = kernel.partial(6);
  for (const name of ["_impact", "_profile"] as const) model.push(name, more[name]!);
  await frame();
  expect(parts("bar").filter(({ dataset }) => dataset.pending !== undefined).length).toBe(2);
});

test("names are text, whatever they contain", async () => {
  const hostile = names.header.features.find(({ name }) => name.startsWith("<img"))!.name;
  const { root, bar, part, drawn } = mount(names.model({ feature: hostile, color_by: "Ward" }));
  await drawn(hostile);
  expect(root.querySelector("img")).toBeNull();
  expect(bar(hostile).querySelector(".ice-bar-name")!.textContent).toBe(hostile);
  await userEvent.hover(bar(hostile));
  await expect.poll(() => part("tooltip").textContent).toContain(hostile);
  expect(root.querySelector("img")).toBeNull();
  expect(document.title).not.toBe("hacked");
});

test("the direction of a feature is a sign and a word", async () => {
  const { bar } = await mountFrame();
  expect(bar("Age").dataset.sign).toBe("up");
  expect(bar("Age").getAttribute("aria-label")).toMatch(
    /^Age, 0\.\d+ in-distribution impact, net change up, rank 1 of 8 features$/,
  );
});

test("opening a feature scrolls the list, never the page", async () => {
  const { bar, model, root, order } = await mountFrame(manyFeatures(40));
  const last = order().at(-1)!;
  model.push("feature", last);
  await frame();
  const list = root.querySelector(".ice-bars-scroll")!.getBoundingClientRect();
  expect(bar(last).getBoundingClientRect().bottom).toBeLessThanOrEqual(list.bottom + 1);
  expect(window.scrollY).toBe(0);
});

test("bars keep their scale while the slider moves, and figures end in one column with the same decimals", async () => {
  const { bar, part, parts } = await mountFrame(kernel.model({ decay: 1 }));
  const profile = decodeProfile(kernel.header, kernel.profile);
  const longest = profile.largest("in_distribution_impact");
  for (const decay of [1, 0.5, 0.05]) {
    await slideTo(part("decay-slider"), decay);
    const fill = Number(bar("Age").querySelector<HTMLElement>(".ice-bar-fill")!.style.getPropertyValue("--fill"));
    const age = kernel.header.features.findIndex(({ name }) => name === "Age");
    expect(fill).toBeCloseTo(profile.get("in_distribution_impact", age, decay) / longest, 5);
    const figures = parts("bar-figure");
    expect(new Set(figures.map((figure) => figure.getBoundingClientRect().right)).size).toBe(1);
    const texts = figures
      .map(({ textContent }) => textContent!)
      .filter((text) => /^[\d.]+$/.test(text) && text !== "0");
    expect(new Set(texts.map((text) => text.split(".")[1]?.length)).size).toBe(1);
  }
});
