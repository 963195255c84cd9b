import { expect, test } from "vitest";
import { cases } from "../../dev/catalogue.ts";
import { kernel, mount, slideTo } from "./mount.ts";

const F = String.raw`−?[\d.,]+`;

test("what is open is said in whole sentences, with kind, selection and decay", async () => {
  const { part, drawn, model } = mount(kernel.model({ feature: "Age" }));
  await drawn("Age");
  const said = expect.poll(() => part("summary").textContent, { timeout: 3000 });
  await said.toMatch(
    new RegExp(
      `^Age: 300 of 300 observations drawn, from ${F} to ${F}\\. Impact ${F}, in distribution ${F} at decay 0\\.75, ` +
        `rank \\d of 8\\. The mean line goes from ${F} to ${F}\\.$`,
    ),
  );
  model.push("kind", "c-ice");
  model.push("selection", [0, 33]);
  slideTo(part("decay-slider"), 0.25);
  await said.toMatch(
    new RegExp(
      "at decay 0\\.25, rank \\d of 8\\. Shown is the change of the .* since Age = " +
        `${F}\\. The mean line goes from ${F} to ${F}\\. 2 rows selected\\.$`,
    ),
  );
  model.push("kind", "d-ice");
  model.push("selection", [33]);
  await said.toMatch(/Shown is the slope of the .* per .*\. The mean line goes from .*\. 1 row selected\.$/);
});

test("levels are named with their means", async () => {
  const { part } = mount(cases["category with gaps"]!());
  await expect
    .poll(() => part("summary").textContent, { timeout: 3000 })
    .toMatch(/6 levels\. Impact .* The mean is \d.* at \S.*, \d.* at \S.*\.$/);
});

test("a step of the slider interrupts nobody", async () => {
  const { part, drawn } = mount(kernel.model({ feature: "Age" }));
  await drawn("Age");
  expect(part("summary").getAttribute("aria-live")).toBe("polite");
  await expect.poll(() => part("summary").textContent, { timeout: 3000 }).not.toBe("");
  const before = part("summary").textContent;
  for (const decay of [0.7, 0.6, 0.5]) {
    slideTo(part("decay-slider"), decay);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(part("summary").textContent).toBe(before);
  }
});
