/** Samples of the rows: bars with whiskers, what says so, and what stays while better figures come in. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { cancelledDraft, drafted, exactOf, sampled } from "../../dev/made_up.ts";
import { SAMPLE } from "../../src/text/metric_names.ts";
import { settled } from "./hosts.ts";
import { frame, kernel, mount, mountFrame } from "./mount.ts";

type Mounted = ReturnType<typeof mount>;

const ALL = { nAll: 100_000 };
const whisker = (bar: HTMLElement) => bar.querySelector<HTMLElement>("[data-test=bar-interval]")!;
const isDraft = (bar: HTMLElement) => bar.dataset.draft !== undefined;
/** The features from top to bottom as they are seen. */
const seen = ({ parts }: Mounted) =>
  parts("bar")
    .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
    .map(({ dataset }) => dataset.feature);
/** An explorer of a sample, with what brings another sample or all rows. */
async function draftedMount(feature = "Age", nRows = 1024) {
  const model = kernel.model({ feature });
  const exact = exactOf(model);
  drafted(model, { nRows, ...ALL });
  const mounted = await mountFrame(model);
  const sample = (rows: number, nExact = 0) => {
    model.pushAll(sampled(exact, { nRows: rows, ...ALL, nExact }));
    return frame();
  };
  const finish = () => {
    model.pushAll(exact);
    model.push("_status", { ...model.get("_status"), state: "ready", done: 8, label: "", n_rows: null, n_all: null });
    return frame();
  };
  return { ...mounted, sample, finish };
}

test("all features have a bar with a whisker, which goes when they are exact", async () => {
  const { parts, bar, sample, finish } = await draftedMount();
  expect(parts("bar").every(isDraft)).toBe(true);
  const before = whisker(bar("Smoker")).getBoundingClientRect().width;
  expect(before).toBeGreaterThan(10);
  await sample(4096, 2);
  expect([isDraft(bar("Age")), whisker(bar("Age")).hidden]).toEqual([false, true]);
  expect(whisker(bar("Smoker")).getBoundingClientRect().width).toBeLessThan(0.7 * before);
  await finish();
  expect(parts("bar").some(isDraft)).toBe(false);
  expect(parts("bar-interval").every(({ hidden }) => hidden)).toBe(true);
});

test("a bar says its margin and the rows of its sample, to the eye and to screen readers", async () => {
  const { bar, part, finish } = await draftedMount("Smoker");
  const label = () => bar("Smoker").getAttribute("aria-label");
  expect(label()).toMatch(
    /^Smoker, 0\.\d+ in-distribution impact ± 0\.\d+ \(sample of 1,024 rows\), .*rank \d of 8 features so far$/,
  );
  await userEvent.hover(bar("Smoker"));
  await expect.poll(() => part("tooltip").textContent).toMatch(/in distribution0\.\d+ ± 0\.\d+.*sample of 1,024 rows$/);
  await userEvent.unhover(bar("Smoker"));
  await finish();
  expect(label()).toMatch(/^Smoker, 0\.\d+ in-distribution impact, .*rank \d of 8 features$/);
});

test("status and header say what the figures rest on, and what the kernel says after a cancel", async () => {
  const { part, model, sample, finish } = await draftedMount();
  expect(part("status-text").textContent).toBe("Sample of 1,024 of 100,000 rows · 0 of 8 features exact");
  expect(part("sample").textContent).toBe("Sample of 1,024 of 100,000 rows.");
  expect(part("sample").dataset.explanation).toBe(SAMPLE.text);
  expect(part("facts").dataset.explanationTitle).toMatch(/^Rank \d of 8 so far\.$/);
  await sample(2048, 3);
  expect(part("status-text").textContent).toBe("Sample of 2,048 of 100,000 rows · 3 of 8 features exact");
  expect(part("sample").hidden).toBe(true);
  const message = "Cancelled: 3 of 8 features are exact, the others rest on a sample of 2,048 of 100,000 rows.";
  model.push("_status", { ...model.get("_status"), state: "cancelled", label: "", message });
  await frame();
  expect([part("status-text").textContent, part("resume").hidden]).toEqual([message, false]);
  // A saved page may be complete and rest on a sample.
  model.push("_status", { ...model.get("_status"), state: "ready", done: 8, message: "" });
  await frame();
  expect(part("status-text").textContent).toBe("Sample of 2,048 of 100,000 rows · 8 features");
  await finish();
  expect(part("status-text").textContent).toBe("300 observations · 8 features");
});

test("bars do not change places under the pointer", async () => {
  const mounted = await draftedMount("Age", 20_000);
  const { part, sample } = mounted;
  await frame();
  const first = seen(mounted);
  await userEvent.hover(part("bars"));
  sample(6);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  await frame();
  expect(seen(mounted)).toEqual(first);
  await userEvent.hover(part("status"));
  await expect.poll(() => seen(mounted)).not.toEqual(first);
});

test("bars keep their places while the keyboard is on them, and the arrows go by what is seen", {
  tags: ["slow"],
}, async () => {
  const mounted = await draftedMount("Age", 20_000);
  const { part, bar, sample, model } = mounted;
  let before: (string | undefined)[] = [];
  const isSettled = () => {
    const last = before;
    before = seen(mounted);
    return before.length > 0 && before.join() === last.join();
  };
  await expect.poll(isSettled, { interval: 300 }).toBe(true); // the bars of the draft have their order
  await frame();
  part("rank-by").focus();
  bar(seen(mounted)[0]!).focus();
  await userEvent.keyboard("{End}{Home}"); // a focus that a key moved is visible
  await frame();
  const first = seen(mounted);
  sample(6);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  await frame();
  expect(seen(mounted)).toEqual(first);
  await userEvent.keyboard("{ArrowDown}");
  expect(model.get("feature")).toBe(first[1]);
  (document.activeElement as HTMLElement).blur();
  await expect.poll(() => seen(mounted)).not.toEqual(first);
});

test("better figures of the open feature come in without a flicker: selection and focus stay", async () => {
  const mounted = await draftedMount();
  const { root, part, model, sample, drawn } = mounted;
  model.push("selection", [33]);
  await drawn("Age");
  await settled(mounted);
  const plot = part("plot");
  plot.focus();
  const states = new Set<string>();
  const observer = new MutationObserver(() => {
    states.add(`${part("curves").dataset.state} ${plot.hidden} ${part("drivers").textContent === ""}`);
  });
  observer.observe(root, { attributes: true, childList: true, characterData: true, subtree: true });
  const asked = () =>
    model.sent.filter(({ type }) => type === "curves" || type === "drivers" || type === "what_if").length;
  model.delay = 60;
  for (const nRows of [2048, 4096]) {
    const before = asked();
    await sample(nRows);
    await expect.poll(asked).toBeGreaterThanOrEqual(before + 3);
    await settled(mounted);
  }
  observer.disconnect();
  expect([...states]).toEqual(["ready false false"]);
  expect([document.activeElement, model.get("selection")]).toEqual([plot, [33]]);
});

test("the strip of unlike values stays until the reply about other rows is there", async () => {
  const model = kernel.model({ feature: "Age" });
  const exact = exactOf(model);
  const mounted = mount(drafted(model, { nRows: 128, ...ALL }));
  await expect.poll(() => mounted.parts("unlike").length).toBe(1);
  let least = 1;
  const observer = new MutationObserver(() => {
    least = Math.min(least, mounted.parts("unlike").length);
  });
  observer.observe(mounted.root, { childList: true, subtree: true });
  const asked = () => model.sent.filter(({ type }) => type === "unlike").length;
  model.pushAll(sampled(exact, { nRows: 256, ...ALL }));
  await expect.poll(asked).toBe(2);
  await frame();
  observer.disconnect();
  expect(least).toBe(1);
});

test("small plots show samples as such", async () => {
  const model = kernel.model({ feature: "Age", _view: { right: "all" } });
  const { parts } = await mountFrame(drafted(model, { nRows: 64, ...ALL }));
  await expect
    .poll(() => parts("tile").filter(({ dataset }) => dataset.mayMove !== undefined).length)
    .toBeGreaterThan(2);
});

test("with 95 % intervals exact bars have theirs, and samples their own whisker", async () => {
  const model = kernel.model({ feature: "Age", ci: 0.95 });
  const { part, bar } = mount(cancelledDraft(model, { nRows: 512, ...ALL, nExact: 4 }));
  await expect.poll(() => part("intervals-key").dataset.state).toBe("ready");
  await frame();
  expect(bar("Age").getAttribute("aria-label")).toContain("95\u00a0% interval");
  expect(bar("Visits").getAttribute("aria-label")).toContain("(sample of 512 rows)");
  const colour = (name: string) => getComputedStyle(whisker(bar(name))).borderLeftColor;
  expect(colour("Visits")).not.toBe(colour("Age"));
});
