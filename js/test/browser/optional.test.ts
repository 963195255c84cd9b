/** ALE, off until it is switched on, values unlike the data, and correlated features. */
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { weather as kernel } from "../../dev/explorers.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { explanation } from "../../src/text/glossary.ts";
import type { ViewChoices } from "../../src/wire/protocol.ts";
import { frame, ink, type Mounted, mount, mountDrawn, openMenu } from "./mount.ts";

const requested = (model: FakeModel): string[] =>
  model.sent.map(({ type }) => type).filter((type) => type === "effects");

const shown = (_view: Partial<ViewChoices>, traits: Parameters<typeof kernel.model>[0] = {}): Promise<Mounted> =>
  mountDrawn(kernel.model({ feature: "Temperature", _view, ...traits }));

async function choose(mounted: Mounted, name: "ale" | "unlike"): Promise<void> {
  await openMenu(mounted);
  mounted.part(`view-${name}`).click();
}

/** Heights of the points of a line, in px of the plot. */
const heights = ({ part }: Mounted, name: string): number[] =>
  Array.from(
    part(name)
      .querySelector(".ice-stroke")!
      .getAttribute("d")!
      .matchAll(/,(-?[\d.]+)/g),
    ([, y]) => Number(y),
  );

test("at first nothing is requested or shown; ALE has a line and an entry in the legend, and is requested once", async () => {
  const mounted = await shown({});
  const { model, part, parts } = mounted;
  await expect.poll(() => part("drivers").dataset.state).toBe("ready");
  expect(requested(model)).toEqual([]);
  expect([parts("effect-ale").length, part("key-ale").hidden]).toEqual([0, true]);
  expect(part("effects-note").checkVisibility()).toBe(false);
  await choose(mounted, "ale");
  await expect.poll(() => parts("effect-ale").length).toBe(1);
  expect(part("key-ale").hidden).toBe(false);
  expect(model.get("_view")).toEqual({ ale: true });
  expect(requested(model)).toEqual(["effects"]);
  const name = part("key-ale").querySelector<HTMLElement>("[data-explanation]")!;
  expect(name.dataset.explanation).toBe(explanation("ale").text);
  expect(name.dataset.explanation).toContain("shifted to the mean prediction");
  await choose(mounted, "ale");
  await expect.poll(() => parts("effect-ale").length).toBe(0);
});

test("partial dependence and ALE part where features vary together", async () => {
  const mounted = await shown({ ale: true, fade: "distance" });
  await expect.poll(() => mounted.parts("effect-ale").length).toBe(1);
  const [ofMean, ofAle] = [heights(mounted, "partial-dependence"), heights(mounted, "effect-ale")];
  // On screen, y grows downwards: ALE rises to the end, the mean falls before.
  expect(ofAle.at(-1)).toBe(Math.min(...ofAle));
  expect(ofMean.at(-1)! - Math.min(...ofMean)).toBeGreaterThan(3);
});

test("on c-ICE ALE is 0 at the anchor, and its explanation says so", async () => {
  const mounted = await shown({ ale: true }, { kind: "c-ice", anchor: "min" });
  await expect.poll(() => mounted.parts("effect-ale").length).toBe(1);
  const zero = Number(mounted.root.querySelector(".ice-zero")!.getAttribute("y1"));
  expect(Math.abs(heights(mounted, "effect-ale")[0]! - zero)).toBeLessThan(0.1);
  const name = mounted.part("key-ale").querySelector<HTMLElement>("[data-explanation]")!;
  expect(name.dataset.explanation).toBe(explanation("ale", "c-ice").text);
});

test("slopes have no ALE, and the menu says why", async () => {
  const { model, part, parts } = await shown({ ale: true }, { kind: "d-ice" });
  part("view").click();
  const input = part<HTMLInputElement>("view-ale");
  await expect.poll(() => input.disabled).toBe(true);
  const why = "Only available for ICE and c-ICE, which have the unit of the prediction.";
  expect(input.labels![0]!.textContent).toBe(`Compare the mean with ALE${why}`);
  await expect.poll(() => part("drivers").dataset.state).toBe("ready");
  expect([requested(model), parts("effect-ale").length]).toEqual([[], 0]);
  model.push("kind", "ice");
  await expect.poll(() => parts("effect-ale").length).toBe(1);
});

test("on levels ALE has signs", async () => {
  const mounted = await shown({ ale: true }, { feature: "Season" });
  await expect.poll(() => mounted.parts("effect-ale").length).toBe(1);
  expect(mounted.part("effect-ale").querySelectorAll("path").length).toBe(3);
});

test("features that move with the open one, above 0.9, are links that open them, with the reason why they matter", async () => {
  const mounted = await shown({});
  const { model, part, parts } = mounted;
  await expect.poll(() => parts("correlated-feature").length).toBe(1);
  const [link] = parts("correlated-feature");
  expect(part("correlated").textContent).toMatch(/^Moves with Apparent temperature \(0\.9\d\)$/);
  expect(link!.dataset.explanationTitle).toMatch(/^Apparent temperature: Spearman rank correlation 0\.9\d$/);
  expect(link!.dataset.explanation).toContain(explanation("correlated").text);
  link!.click();
  await mounted.drawn("Apparent temperature");
  expect(model.get("feature")).toBe("Apparent temperature");
  await expect.poll(() => parts("correlated-feature")[0]?.dataset.column).toBe("Temperature");
  mounted.model.push("feature", "Wind");
  await expect.poll(() => part("correlated").hidden).toBe(true);
});

test("a column that is not explained cannot be opened", async () => {
  const model = kernel.model({ feature: "Temperature" });
  const body = {
    feature: "Temperature",
    lead: "Varies with",
    items: [{ column: "Station", correlation: 0.97, measure: "correlation_ratio" as const }],
  };
  const { parts, drawn } = mount(model.replying("correlated", body));
  await drawn("Temperature");
  await expect.poll(() => parts("correlated-feature").length).toBe(1);
  const [chip] = parts("correlated-feature") as HTMLButtonElement[];
  expect(chip!.disabled).toBe(true);
  expect(chip!.dataset.explanation).toBe(explanation("correlated").text);
});

test("curves end where they are unlike the data, which the strip of the data shows; the menu switches it off", async () => {
  const mounted = await shown({});
  const { model, part, parts } = mounted;
  await expect.poll(() => parts("unlike").length).toBe(1);
  await frame();
  const inked = ink(part("curves-canvas"));
  expect(part("unlike-note").textContent).toMatch(/^unlike the data here: \d+\u00a0%$/);
  expect(part("unlike-note").dataset.explanation).toContain(explanation("unlike").text);
  const [strip, histogram] = [part("unlike"), part("histogram")].map((each) => each.getBoundingClientRect());
  expect(strip!.bottom).toBeCloseTo(histogram!.bottom, 0);
  const box = part("plot").getBoundingClientRect();
  await userEvent.hover(page.elementLocator(part("plot")), { position: { x: box.width / 2, y: box.height - 30 } });
  await frame();
  await expect.poll(() => part("tooltip").textContent).toMatch(/unlike 99 % of rows\d+.% of the curves$/);
  await choose(mounted, "unlike");
  await expect.poll(() => parts("unlike").length).toBe(0);
  expect(model.get("_view")).toEqual({ fade: "distance" });
  await expect.poll(() => ink(part("curves-canvas"))).toBeGreaterThan(1.01 * inked);
});

test("at equal weights no curve ends, and the mean is not dotted", async () => {
  const mounted = await shown({}, { decay: 1 });
  await expect.poll(() => mounted.parts("unlike").length).toBe(1);
  await frame();
  expect(mounted.part("partial-dependence").querySelector(".ice-dotted")).toBeNull();
});

test("while the kernel compares curves with the data, the note waits", async () => {
  const model = kernel.model({ feature: "Temperature" });
  model.delay = 400;
  const { part } = mount(model);
  await expect.poll(() => part("unlike-note").textContent).toBe("unlike the data here: …");
  await expect.poll(() => part("unlike-note").textContent).toMatch(/%$/);
});

test("where the kernel cannot tell what is unlike the data, a dash has the reason", async () => {
  const model = kernel.model({ feature: "Temperature" });
  const { part } = mount(model.refusing("unlike", "Too few rows."));
  await expect.poll(() => part("unlike-note").textContent).toBe("unlike the data here: –");
  await expect.poll(() => part("unlike-note").dataset.explanation).toBe("Too few rows.");
});
