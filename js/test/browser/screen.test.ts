/** The first screen: how much is in sight, and how it is written. */
import { expect, test } from "vitest";
import { rentals, threeClasses } from "../../dev/explorers.ts";
import { kernel, type Mounted, mountDrawn, openMenu } from "./mount.ts";

/** The rows of the ranking, the coloured part of the sentence and the question behind it are what the screen says. */
const controlsIn = ({ root }: Mounted) =>
  [...root.querySelectorAll("button, select, input, summary, [role=tab], [role=radio]")].filter(
    (node) => !node.matches("[data-test=why]") && node.checkVisibility() && node.getBoundingClientRect().width > 1,
  );

test.each([
  ["a number", kernel, "Age"],
  ["levels", rentals, "District"],
  ["one of three classes", threeClasses, "Age"],
])("at most 14 controls are in sight of %s", async (_name, of, feature) => {
  const mounted = await mountDrawn(of.model({ feature }));
  await expect.poll(() => mounted.part("drivers").dataset.state).toMatch(/ready|nothing/);
  expect(controlsIn(mounted).length).toBeLessThanOrEqual(14);
});

test("log-odds are offered where most probabilities are near 0 or 1", async () => {
  const model = kernel.model({ feature: "Age" });
  model.push("_header", { ...kernel.header, responses: ["predict_proba", "log_odds"], is_saturated: true });
  const { part } = await mountDrawn(model);
  part("show-log-odds").click();
  expect(model.get("response")).toBe("log_odds");
  model.push("_header", { ...kernel.header, is_saturated: false });
  await expect.poll(() => part("saturated").hidden).toBe(true);
});

test("curves of the last class keep its name until those of the next one are there", async () => {
  const model = threeClasses.model({ feature: "Age" });
  const { part } = await mountDrawn(model);
  const before = part("y-title").textContent;
  model.replying("curves", null);
  model.push("_header", { ...threeClasses.header, output_label: "probability of another" });
  await expect.poll(() => part("curves").dataset.state).toBe("loading");
  expect(part("y-title").textContent).toBe(before);
  // Neither it nor a sentence about it is in sight.
  await expect.poll(() => getComputedStyle(part("y-title").parentElement!).opacity).toBe("0");
  expect([part("facts").innerText, part("groups-sentence").hidden]).toEqual(["", true]);
});

test("no text is smaller than 12 px, and there are at most four sizes", async () => {
  const mounted = await mountDrawn();
  await openMenu(mounted);
  const texts = [...mounted.root.querySelectorAll<HTMLElement>("*")].filter(
    (node) =>
      node.checkVisibility() && [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent?.trim()),
  );
  const sizes = [...new Set(texts.map((node) => Number.parseFloat(getComputedStyle(node).fontSize)))];
  expect(Math.min(...sizes)).toBe(12);
  expect(sizes.length).toBeLessThanOrEqual(4);
});

test("nothing moves when another feature opens", async () => {
  const mounted = await mountDrawn();
  const places = () =>
    ["plot", "decay-slider", "kind-ice", "ranking"].map((name) => {
      const { left, top, width, height } = mounted.part(name).getBoundingClientRect();
      return [name, left, top, width, height];
    });
  const before = places();
  for (const feature of ["BMI", "Smoker", "Marker"]) {
    mounted.model.push("feature", feature);
    await mounted.drawn(feature);
    await expect.poll(() => mounted.part("drivers").dataset.state).toMatch(/ready|nothing/);
    expect(places()).toEqual(before);
  }
});
