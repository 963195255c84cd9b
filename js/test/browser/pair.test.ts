import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { cases } from "../../dev/catalogue.ts";
import { rentals } from "../../dev/explorers.ts";
import type { Traits } from "../../src/wire/protocol.ts";
import { frame, ink, kernel, type Mounted, mount, mountDrawn, press } from "./mount.ts";

async function opened(overrides: Partial<Traits> = { feature: "Age", _view: { pair: ["Age", "Smoker"] } }) {
  const mounted = mount(kernel.model(overrides));
  await heated(mounted);
  return mounted;
}

const heated = ({ part }: Mounted) =>
  expect.poll(() => [part("pair-panel").checkVisibility(), part("pair-panel").dataset.state]).toEqual([true, "ready"]);

test("a rule opens the heat map of both features, and a button leads back to the curves", async () => {
  const mounted = await mountDrawn();
  const { model, part, parts } = mounted;
  await expect.poll(() => parts("see-both").length).toBeGreaterThan(0);
  expect(parts("see-both")[0]!.getAttribute("aria-label")).toBe("See Age and Smoker together");
  part("why").click();
  await userEvent.click(parts("see-both")[0]!);
  await heated(mounted);
  expect(model.get("_view").pair).toEqual(["Age", "Smoker"]);
  expect(part("pair-title").textContent).toBe("Age × Smoker");
  expect(parts("curves")).toEqual([]);
  await expect.poll(() => ink(part("heat-cells"))).toBeGreaterThan(1000);
  await userEvent.click(part("pair-back"));
  await expect.poll(() => parts("curves").length).toBe(1);
  expect(model.get("_view").pair).toEqual([]);
});

test("a pair of the interactions opens its heat map; a feature, also from Python, opens its curves", async () => {
  const mounted = mount(kernel.model({ feature: "BMI", _view: { left: "interactions" } }));
  const { model, part, parts } = mounted;
  await expect.poll(() => parts("pair").length).toBe(10);
  await userEvent.click(parts("pair")[0]!);
  await heated(mounted);
  expect([model.get("feature"), part("pair-title").textContent]).toEqual(["Age", "Age × Smoker"]);
  expect(parts("pair")[0]!.getAttribute("aria-current")).toBe("true");
  await userEvent.click(parts("joint-feature").find(({ dataset }) => dataset.name === "BMI")!);
  await mounted.drawn("BMI");
  expect(parts("pair-panel")).toEqual([]);
  expect(model.get("_view").pair).toEqual([]);
  await userEvent.click(parts("pair")[0]!);
  await heated(mounted);
  mounted.model.push("feature", "BMI");
  await mounted.drawn("BMI");
  await expect.poll(() => parts("curves").length).toBe(1);
});

test("the pointer tells both values, the prediction and the observations near; arrow keys go from cell to cell, and Escape leaves", async () => {
  const { part, parts } = await opened();
  const body = kernel.recorded("two_way", { first: "Age", second: "Smoker" }).two_way!;
  const heat = part("heat").getBoundingClientRect();
  await userEvent.hover(part("heat"), { position: { x: heat.width * 0.12, y: heat.height * 0.8 } });
  await expect.poll(() => part("tooltip").hidden).toBe(false);
  const cell = /^Age ([\d.]+)Smokerfalseprobability of readmitted0\.\d+observations near(\d+) of 300/;
  const [, age, near] = cell.exec(part("tooltip").textContent!)!;
  expect(Number(near)).toBe(body.near[2 * body.first.grid.indexOf(Number(age))]);
  expect(part("heat-ring").checkVisibility()).toBe(true);
  part("heat").focus();
  await press("{ArrowRight}");
  const before = part("tooltip").textContent;
  await press("{ArrowRight}");
  expect(part("tooltip").textContent).not.toBe(before);
  await press("{Escape}");
  expect(part("tooltip").hidden).toBe(true);
  expect(parts("heat-ring")).toEqual([]);
});

test("cells without observations are hatched, and the key says so", async () => {
  const { part } = await opened({ feature: "Age", _view: { pair: ["Age", "BMI"] } });
  expect(part("key-bare").checkVisibility()).toBe(true);
  part("heat").focus();
  await userEvent.keyboard("{ArrowRight}");
  for (let step = 0; step < 16; step++) await userEvent.keyboard("{ArrowUp}{ArrowRight}");
  await frame();
  expect(part("tooltip").textContent).toMatch(/observations near0 of 300No observation is like this/);
});

test("values of both signs have 0 in the middle of the colours", async () => {
  const mounted = mount(cases["two numbers, both signs"]!());
  await heated(mounted);
  await expect.poll(() => mounted.root.querySelector(".ice-pair .ice-ramp-zero")?.textContent).toBe("0");
});

test.each([
  ["District", "Area"],
  ["Area", "Heating"],
  ["Heating", "District"],
  ["Built", "Time to the centre"],
])("%s and %s have the ticks of their curves, inside of the panel", async (first, second) => {
  const mounted = mount(rentals.model({ feature: first, _view: { pair: [first, second] } }));
  await heated(mounted);
  const textsOf = () => [...mounted.part("heat-axes").querySelectorAll("text")];
  await expect.poll(() => textsOf().length).toBeGreaterThan(3);
  const frame = mounted.part("heat").getBoundingClientRect();
  for (const text of textsOf()) {
    const { left, right } = text.getBoundingClientRect();
    expect(left, text.textContent).toBeGreaterThanOrEqual(frame.left - 1);
    expect(right, text.textContent).toBeLessThanOrEqual(frame.right + 1);
  }
  expect(mounted.part("heat-y-title").textContent).toContain(second);
});

test("how far it is computed is shown", async () => {
  const { part } = mount(cases["two numbers, computing"]!());
  await expect.poll(() => part("pair-message").textContent).toBe("Computing Age × BMI … 40\u00a0%");
});
