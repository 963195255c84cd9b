import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { rentals } from "../../dev/explorers.ts";
import { choose, frame, kernel, mountDrawn, mountFrame, press, slideTo } from "./mount.ts";

test("the slider is called by what it does, with its ends and a tick at the default, and says what the decay means", async () => {
  const { part, root } = await mountDrawn(kernel.model({ feature: "Age", decay: 0.75 }));
  expect(part("decay").innerText.replace(/\s+/g, " ")).toMatch(
    /^Weight of far values 0\.75 [\d.]+ away counts half near each row’s observed value all values alike$/,
  );
  expect(part("decay-label").dataset.explanation).toMatch(/decay in Python and λ in Eq\. 3 of the paper/);
  const slider = part("decay-slider").getBoundingClientRect();
  const tick = root.querySelector(".ice-decay-tick")!.getBoundingClientRect();
  const thumb = slider.left + 8 + ((0.75 - 0.01) / 0.99) * (slider.width - 16);
  expect(Math.abs(tick.left - thumb)).toBeLessThan(1);
  expect(tick.bottom).toBeGreaterThan(slider.bottom);
  const readout = part("decay-readout");
  expect(readout.dataset.explanationTitle).toMatch(
    /^A value 2\.4 SD from the observed one counts half · \d+\u00a0% of the weight kept$/,
  );
  const { scale } = kernel.header.features.find(({ name }) => name === "Age")!;
  expect(Number.parseFloat(readout.innerText) / scale!).toBeCloseTo(Math.log(0.5) / Math.log(0.75), 1);
  const plot = part("plot").getBoundingClientRect();
  expect([slider.left, slider.right]).toEqual([plot.left, plot.right]);
  expect(slider.top - plot.bottom).toBeLessThan(60);
  await slideTo(part("decay-slider"), 1);
  expect(part("decay-readout").innerText).toBe("all values count alike");
});

test("distances are told in the unit of the feature, and none of a constant", async () => {
  const { bar, part } = await mountFrame(rentals.model({ feature: "Built" }));
  for (const [feature, text] of [
    ["Built", /^[\d.]+\u00a0(years|months) away counts half$/],
    ["Energy class", /^[\d.]+\u00a0levels away counts half$/],
  ] as const) {
    bar(feature).click();
    await expect.poll(() => part("decay-readout").innerText).toMatch(text);
  }
  const features = rentals.header.features.map((each) => (each.name === "Area" ? { ...each, scale: 0 } : each));
  const constant = await mountFrame(rentals.model({ feature: "Area", _header: { ...rentals.header, features } }));
  await expect.poll(() => constant.part("decay-readout").innerText).toBe("constant: one value");
});

test.each(["double click", "Delete"])("%s returns the slider to the default, here and in Python", async (way) => {
  const { part, model } = await mountFrame(kernel.model({ feature: "Age", decay: 0.3 }));
  const slider = part<HTMLInputElement>("decay-slider");
  slider.focus();
  if (way === "Delete") await userEvent.keyboard("{Delete}");
  else await userEvent.dblClick(slider);
  await expect.poll(() => model.get("decay")).toBe(0.75);
  expect(slider.value).toBe("0.75");
});

test("the slider is worked with the keyboard from end to end, of which Python hears; a drag that ends where it began lets Python in again", async () => {
  const { part, model } = await mountFrame(kernel.model({ feature: "Age" }));
  part("decay-slider").focus();
  await userEvent.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}");
  await expect.poll(() => model.get("decay")).toBeCloseTo(0.72, 9);
  await userEvent.keyboard("{End}");
  await expect.poll(() => model.get("decay")).toBe(1);
  await userEvent.keyboard("{Home}");
  await expect.poll(() => model.get("decay")).toBe(0.01);
  model.push("decay", 0.5);
  await frame();
  expect(part<HTMLInputElement>("decay-slider").value).toBe("0.5");
  slideTo(part("decay-slider"), 0.6);
  slideTo(part("decay-slider"), 0.5);
  part("decay-slider").dispatchEvent(new PointerEvent("pointerup"));
  model.push("decay", 0.3);
  await frame();
  expect(part("decay-value").textContent).toBe("0.3");
});

test("the kinds are one radio group with arrow keys", async () => {
  const { part, model } = await mountFrame();
  expect(part("kind-ice").getAttribute("aria-checked")).toBe("true");
  part("kind-ice").focus();
  await press("{ArrowRight}");
  expect(model.get("kind")).toBe("c-ice");
  expect(document.activeElement).toBe(part("kind-c-ice"));
  expect(part("kind-ice").tabIndex).toBe(-1);
});

test("the anchor is offered for centred curves only, and shows a value", async () => {
  const { part, model } = await mountDrawn();
  part("view").click();
  expect(part("anchor").checkVisibility()).toBe(false);
  part("kind-c-ice").click();
  await frame();
  expect(part("anchor").checkVisibility()).toBe(true);
  await choose(part("anchor"), "own");
  expect(model.get("anchor")).toBe("own");
  expect(part("y-title").textContent).toBe("↑ change of the probability of readmitted from the observed value");
  model.push("anchor", 40);
  await expect.poll(() => part("y-title").textContent).toMatch(/from Age = (39|40|41)(\.\d+)?$/);
  expect(part<HTMLSelectElement>("anchor").selectedOptions[0]!.text).toBe("40");
});

test("the number of lines is asked of the kernel", async () => {
  const { root, part, model } = await mountDrawn();
  expect(part<HTMLSelectElement>("max-lines").selectedOptions[0]!.text).toBe("300");
  choose(part("max-lines"), "50");
  await expect.poll(() => root.dataset.drawnLines).toBe("50");
  expect(model.get("max_lines")).toBe(50);
});
