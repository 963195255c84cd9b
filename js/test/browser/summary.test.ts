import { expect, onTestFinished, test, vi } from "vitest";
import { cases } from "../../dev/catalogue.ts";
import { frame, mount, mountDrawn, slideTo } from "./mount.ts";

const F = String.raw`−?[\d.,]+`;

test("what the open feature does is under its title, with its rank in the tooltip, and begins what is read out", async () => {
  const { part, model } = await mountDrawn();
  await frame();
  const average = new RegExp(`^On average the .* (rises|falls) from ${F} to ${F} along Age(, with a .*)?\\.`);
  expect(part("facts").textContent).toMatch(average);
  expect(part("sentence").checkVisibility()).toBe(true);
  expect(part("facts").dataset.explanationTitle).toMatch(/^Rank \d of 8\.$/);
  const said = expect.poll(() => part("summary").textContent, { timeout: 3000 });
  await said.toMatch(
    new RegExp(
      `${average.source} Rank \\d of 8, impact ${F}, in-distribution impact ${F} with weight 0\\.75 of far values\\. ` +
        `300 of 300 observations drawn, from ${F} to ${F}\\.$`,
    ),
  );
  model.push("kind", "c-ice");
  model.push("selection", [0, 33]);
  slideTo(part("decay-slider"), 0.25);
  await said.toMatch(
    new RegExp(
      `weight 0\\.25 of far values\\. .* Shown is the change of the .* ${F}\\. The mean goes from ${F} to ${F}\\. 2 rows selected\\.$`,
    ),
  );
  expect(part("facts").textContent).toMatch(average);
  model.push("kind", "d-ice");
  model.push("selection", [33]);
  await said.toMatch(/Shown is the slope of the .* per .*\. The mean goes from .*\. 1 row selected\.$/);
});

test("levels are named with their means", async () => {
  const { part } = mount(cases["category with gaps"]!());
  await expect
    .poll(() => part("summary").textContent, { timeout: 3000 })
    .toMatch(/^On average the .* is lowest for .* 6 levels\. The mean is \d.* at \S.*, \d.* at \S.*\.$/);
});

test("a step of the slider interrupts nobody: the summary follows once it rests", async () => {
  const { part } = await mountDrawn();
  const text = () => part("summary").textContent;
  expect(part("summary").getAttribute("aria-live")).toBe("polite");
  await expect.poll(text, { timeout: 3000 }).not.toBe("");
  const before = text();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const decay of [0.7, 0.6, 0.5]) {
    void slideTo(part("decay-slider"), decay);
    await new Promise(requestAnimationFrame);
    vi.advanceTimersByTime(500);
    expect(text()).toBe(before);
  }
  vi.advanceTimersByTime(600);
  await new Promise(requestAnimationFrame);
  expect(text()).toContain("with weight 0.5 of far values");
});
