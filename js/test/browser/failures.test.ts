/** What the kernel refuses is a sentence in the place of the result, and can be requested again. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { threeClasses } from "../../dev/explorers.ts";
import type { Request, Traits } from "../../src/wire/protocol.ts";
import { kernel, mount, mountDrawn } from "./mount.ts";

const message = "The model failed on phantom observations of 'Age' (grid value 97.0): ValueError: Input contains NaN.";

test.each<[Request["type"], Partial<Traits>, string]>([
  ["curves", {}, "curves-message"],
  ["colors", { color_by: "Ward" }, "color-problem"],
  ["classes", { _view: { classes: true } }, "classes-head"],
  ["rows", { selection: [3] }, "row-card-values"],
  ["effects", { _view: { ale: true } }, "effects-note"],
  ["intervals", { ci: 0.95 }, "intervals-problem"],
  ["interactions", { _view: { left: "interactions" } }, "interactions-status"],
  ["two_way", { _view: { pair: ["Age", "BMI"] } }, "pair-message"],
])("of %s", async (type, traits, place) => {
  const { part } = mount(threeClasses.model({ feature: "Age", ...traits }).refusing(type, message));
  await expect.poll(() => part(place).textContent).toBe(message);
  expect(part(place).checkVisibility()).toBe(true);
});

test.each<[Request["type"], Partial<Traits>, string, string]>([
  ["curves", {}, "curves", "retry"],
  ["two_way", { _view: { pair: ["Age", "BMI"] } }, "pair-panel", "pair-retry"],
  ["interactions", { _view: { left: "interactions" } }, "interactions", "interactions-start"],
])("%s are requested again by a button", async (type, traits, panel, button) => {
  const model = kernel.model({ feature: "Age", ...traits });
  const { answer } = model;
  const { part } = mount(model.refusing(type, message));
  await expect.poll(() => part(panel).dataset.state).toBe("error");
  expect(part(button).textContent).toBe("Try again");
  model.answer = answer;
  await userEvent.click(part(button));
  await expect.poll(() => part(panel).dataset.state).toBe("ready");
});

test("a table of selected rows that cannot be read says why", async () => {
  const { part } = await mountDrawn(kernel.model({ feature: "BMI", selection: [3] }).refusing("rows", message));
  await userEvent.click(part("selected-summary"));
  await expect.poll(() => part("selected-rows").querySelector("[role=alert]")?.textContent).toBe(message);
});
