/** Whiskers and brackets of the ranking, and the switch for them. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { cases } from "../../dev/catalogue.ts";
import { manyFeatures } from "../../dev/made_up.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { rankFeatures } from "../../src/state/ranking.ts";
import { Reading } from "../../src/state/reading.ts";
import { explanation } from "../../src/text/glossary.ts";
import type { IntervalsBody } from "../../src/wire/protocol.ts";
import { decodeImpact, decodeProfile } from "../../src/wire/tables.ts";
import { frame, kernel, letGo, mount, mountDrawn, slideTo } from "./mount.ts";

type Mounted = ReturnType<typeof mount>;

const whiskerOf = (bar: HTMLElement) => bar.querySelector<HTMLElement>("[data-test=bar-interval]")!;
const whiskers = ({ parts }: Mounted) => parts("bar-interval").filter(({ hidden }) => !hidden);
const key = ({ part }: Mounted) => part("intervals-key");
/** Waits until the whiskers are drawn. */
async function ready(mounted: Mounted): Promise<void> {
  await expect.poll(() => key(mounted).dataset.state).toBe("ready");
  await frame();
}
/** The bars in rank order, with the half brackets that each shows. */
const halves = ({ parts }: Mounted) =>
  parts("bar")
    .sort((a, b) => Number(a.dataset.rank) - Number(b.dataset.rank))
    .map((bar) =>
      [...bar.querySelectorAll<HTMLElement>("[data-test=bar-tied]")]
        .filter(({ hidden }) => !hidden)
        .map(({ dataset }) => dataset.to),
    );
const requests = ({ model }: Mounted) => model.sent.filter(({ type }) => type === "intervals").length;

test("intervals are off at first and cost nothing; a switch or Python draws them", async () => {
  const mounted = mount(kernel.model({ feature: "Age" }));
  const { part, model } = mounted;
  await frame();
  expect(key(mounted).hidden).toBe(true);
  expect([whiskers(mounted).length, requests(mounted)]).toEqual([0, 0]);
  const box = part<HTMLInputElement>("intervals");
  expect([box.checked, box.ariaLabel]).toEqual([false, "95\u00a0% intervals"]);
  box.click();
  expect(model.saved).toEqual([["ci", 0.95]]);
  await ready(mounted);
  expect(whiskers(mounted).length).toBe(7); // Height changes nothing, and has none
  expect(requests(mounted)).toBe(1);
  box.click();
  await frame();
  expect(model.saved.at(-1)).toEqual(["ci", null]);
  expect([whiskers(mounted).length, key(mounted).hidden]).toEqual([0, true]);
  box.click();
  await ready(mounted);
  expect(requests(mounted)).toBe(1);
  const saved = model.saved.length;
  model.push("ci", 0.8);
  await ready(mounted);
  expect(mounted.part<HTMLInputElement>("intervals").checked).toBe(true);
  expect(mounted.part("intervals").ariaLabel).toBe("80\u00a0% intervals");
  expect(model.saved.length).toBe(saved);
});

/** Intervals around the impact; neighbours are tied whose bars end in each other's. */
function intervalsOf(model: FakeModel): IntervalsBody {
  const header = model.get("_header");
  const [impact, profile] = [decodeImpact(header, model.get("_impact")), decodeProfile(header, model.get("_profile"))];
  const known = rankFeatures(new Reading({ header, impact, profile }, 0.75), "impact");
  const n = header.features.length;
  const ends = () => new Float64Array(n).fill(Number.NaN);
  const [low, high, rank_low, rank_high] = [ends(), ends(), ends(), ends()];
  for (const { index, value, rank } of known) {
    [low[index], high[index]] = [0.85 * value, 1.2 * value];
    [rank_low[index], rank_high[index]] = [Math.max(1, rank - 1), Math.min(n, rank + 1)];
  }
  const pairs = known.slice(1).map(({ index }, at): [number, number] => [known[at]!.index, index]);
  const tied = pairs.filter(([one, other]) => high[other]! > (low[one]! + high[one]!) / 2 && high[other]! > 0);
  return { n_known: n, n_features: n, intervals: { low, high, rank_low, rank_high, tied } };
}

test("a whisker reaches from end to end of its interval, with its meaning in the key; brackets join no rows of a search", async () => {
  const model = manyFeatures(24, { rank_by: "impact", ci: 0.9 });
  const mounted = mount(model.replying("intervals", intervalsOf(model)));
  await ready(mounted);
  const bar = mounted.parts("bar").find(({ dataset }) => dataset.rank === "1")!;
  const [low, high] = ["--low", "--high"].map((end) => Number(whiskerOf(bar).style.getPropertyValue(end)));
  const end = Number(bar.querySelector<HTMLElement>(".ice-bar-fill")!.style.getPropertyValue("--fill"));
  expect(low).toBeLessThan(end);
  expect(high).toBeGreaterThan(end);
  expect(high).toBeLessThanOrEqual(1);
  const label = bar.getAttribute("aria-label");
  expect(label).toMatch(/, 0\.\d+ impact \(90\u00a0% interval 0\.\d+ to 0\.\d+\),/);
  for (const each of mounted.parts("bar")) {
    const row = each.getBoundingClientRect();
    const figure = each.querySelector("[data-test=bar-figure]")!.getBoundingClientRect();
    expect(figure.right).toBeLessThanOrEqual(row.right - 4);
  }
  expect(key(mounted).textContent).toBe("90\u00a0% interval over other samples of rowstied");
  const name = mounted.root.querySelector<HTMLElement>(`[data-explanation="${explanation("interval").text}"]`);
  expect(name).not.toBeNull();
  expect(halves(mounted).flat().length).toBeGreaterThan(0);
  const field = mounted.part<HTMLInputElement>("search");
  field.value = mounted.order()[0]!;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await frame();
  await expect.poll(() => mounted.parts("bar").length).toBe(1);
  expect(halves(mounted).flat()).toEqual([]);
});

test("a bracket joins the rows of tied neighbours, half in each, which the tooltip of a bar names", async () => {
  const mounted = mount(kernel.model({ feature: "Age", ci: 0.95 }));
  await ready(mounted);
  const found = halves(mounted);
  const below = found.flatMap((of, at) => (of.includes("below") ? [at] : []));
  const above = found.flatMap((of, at) => (of.includes("above") ? [at] : []));
  expect(below.length).toBeGreaterThan(0);
  expect(above).toEqual(below.map((at) => at + 1));
  const order = mounted.order();
  const pairs = below.map((at) => `${order[at]} and ${order[at + 1]}`);
  expect(mounted.part("ties").textContent).toBe(`Tied at 95\u00a0%: ${pairs.join("; ")}.`);
  expect(mounted.part("bars").getAttribute("aria-describedby")).toBe(mounted.part("ties").id);
  const [first, second] = [order[below[0]!]!, order[below[0]! + 1]!];
  expect(mounted.bar(first).getAttribute("aria-label")).toContain(`tied with ${second}`);
  // Both halves end where the rows meet.
  const [upper, lower] = [mounted.bar(first), mounted.bar(second)].map((bar, at) =>
    bar.querySelector(`[data-to=${at === 0 ? "below" : "above"}]`)!.getBoundingClientRect(),
  );
  expect(Math.abs(upper!.bottom - lower!.top)).toBeLessThan(1);
  expect(upper!.right).toBe(lower!.right);
  const tied = mounted.parts("bar").find((bar) => bar.getAttribute("aria-label")!.includes("tied with"))!;
  await userEvent.hover(tied);
  const text = () => mounted.part("tooltip").textContent!;
  await expect.poll(text).toMatch(/95\u00a0% interval over other samples of rows0\.\d+ to 0\.\d+its rank\d/);
  expect(text()).toMatch(/Tied with .+: with other rows, the difference could be 0\./);
});

test("who cannot see the brackets hears of them with the open feature", async () => {
  const { intervals } = kernel.recorded("intervals", { rank_by: "in_distribution_impact" });
  const tied = kernel.header.features[intervals!.tied[0]![0]]!;
  const mounted = await mountDrawn(kernel.model({ feature: tied.name, ci: 0.95 }));
  await ready(mounted);
  expect(mounted.part("facts").dataset.explanationTitle).toMatch(/^Rank \d of 8, tied with .+\.$/);
});

test("while the slider moves whiskers are gone and bars keep their lengths; one request follows", async () => {
  const mounted = mount(kernel.model({ feature: "Age", ci: 0.95 }));
  const { part, bar } = mounted;
  await ready(mounted);
  const figure = () => bar("Age").querySelector<HTMLElement>(".ice-bar-fill")!.getBoundingClientRect().width;
  const before = figure();
  await slideTo(part("decay-slider"), 0.74);
  expect(whiskers(mounted).length).toBe(0);
  expect(halves(mounted).flat()).toEqual([]);
  expect(key(mounted).textContent).toMatch(/rows…/);
  expect(Math.abs(figure() - before)).toBeLessThan(3);
  for (const decay of [0.7, 0.65, 0.6]) {
    await slideTo(part("decay-slider"), decay);
  }
  letGo(part("decay-slider"));
  await ready(mounted);
  expect(requests(mounted)).toBe(2);
  expect(whiskers(mounted).length).toBeGreaterThan(0);
});

test("the key says how far the kernel is", async () => {
  const computing = mount(cases["intervals, computing"]!());
  await expect.poll(() => key(computing).textContent).toMatch(/… 38\u00a0%/);
});
