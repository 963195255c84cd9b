import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { cases } from "../../dev/catalogue.ts";
import { importanceOf } from "../../dev/importance.ts";
import { clinic } from "../../dev/model.ts";
import { choose, kernel, type Mounted, mount, press, shadowRoot, slideTo } from "./mount.ts";

const against = { left: "map", map_y: "permutation" } as const;

async function mapped(view: { left: "map"; map_y?: "permutation" } = against, feature = "Age"): Promise<Mounted> {
  const mounted = mount(kernel.model({ feature, _view: view }));
  await expect.poll(() => mounted.parts("map-label").length).toBeGreaterThan(0);
  return mounted;
}

const asked = ({ model }: Mounted) =>
  model.sent
    .filter(({ type }) => type === "importance")
    .map((request) => ("measure" in request ? request.measure : ""));

test("a measure is requested once it is chosen, and then once", async () => {
  const mounted = await mapped({ left: "map" });
  expect(asked(mounted)).toEqual([]);
  expect(mounted.part("map-comparison").hidden).toBe(true);
  choose(mounted.part("map-y"), "permutation");
  await expect.poll(() => mounted.part("map-comparison").hidden).toBe(false);
  expect(mounted.model.get("_view")).toMatchObject({ map_y: "permutation" });
  expect(mounted.part("map-diagonal")).toBeTruthy();
  choose(mounted.part("map-y"), "non_linearity");
  await expect.poll(() => mounted.parts("map-diagonal").length).toBe(0);
  choose(mounted.part("map-y"), "permutation");
  await expect.poll(() => mounted.parts("map-diagonal").length).toBe(1);
  expect(asked(mounted)).toEqual(["permutation"]);
});

test("the sentence has both correlations and the largest difference; points stand at their shares, and the slider moves them across only", async () => {
  const mounted = await mapped(against, "Marker");
  const { part } = mounted;
  const text = part("map-comparison").textContent;
  expect(text).toMatch(
    /^Correlation with in-distribution impact: Pearson −?\d\.\d\d, rank −?\d\.\d\d\. Largest difference: .+, \d+\.\d\u00a0% of in-distribution impact, \d+\.\d\u00a0% of permutation importance\.$/,
  );
  expect(part("map").getAttribute("aria-label")).toContain(text);
  expect(part("map-basis").textContent).toBe("From 60 of 300 rows.");
  const at = () => ["cx", "cy", "r"].map((name) => Number(mounted.part("map-open").getAttribute(name)));
  const before = at();
  const whole = importanceOf(clinic(300), "permutation").features;
  const total = whole.reduce((sum, { importance }) => sum + importance!, 0);
  mounted.part("map").focus();
  await press("{ArrowDown}");
  const share = (100 * whole.find(({ feature }) => feature === "Marker")!.importance!) / total;
  expect(mounted.part("tooltip").textContent).toContain(`share of permutation importance${share.toFixed(1)}\u00a0%`);
  await slideTo(mounted.part("decay-slider"), 0.05);
  expect(at()[0]).not.toBe(before[0]);
  expect(at()[2]).toBe(before[2]);
  mounted.model.push("rank_by", "heterogeneity");
  await expect.poll(() => mounted.part("map-comparison").textContent).toMatch(/^Correlation with impact: /);
});

test("progress is shown, and can be cancelled and resumed; the focus stays on the button, in a shadow root", async () => {
  const model = cases["map, importance, computing"]!();
  const place = shadowRoot();
  const { part } = mount(model, 1000, place);
  await expect.poll(() => part("map-message").textContent).toBe("Computing permutation importance: 43\u00a0%.");
  expect(part("map").hidden).toBe(true);
  await userEvent.click(part("map-cancel"));
  await expect.poll(() => part("map-message").textContent).toBe("Cancelled after 43\u00a0%.");
  expect(place.activeElement).toBe(part("map-start"));
  expect(part("map-start").textContent).toBe("Resume");
  await userEvent.click(part("map-start"));
  const { id } = model.sent.findLast(({ type }) => type === "importance")!;
  model.emit("msg:custom", { id, type: "result", body: importanceOf(clinic(300), "permutation") }, []);
  await expect.poll(() => part("map-comparison").hidden).toBe(false);
});

test("what a measure lacks is a sentence; LOCO fits the model again, so a button starts it", async () => {
  const { part } = mount(cases["map, importance, refused"]!());
  await expect.poll(() => part("map-message").textContent).toMatch(/ needs the observed target\. Call /);
  expect(part("map-start").hidden).toBe(true);
  const mounted = mount(cases["map, importance, LOCO"]!());
  await expect.poll(() => mounted.part("map-start").textContent).toBe("Compute");
  expect(mounted.part("map-message").textContent).toContain("fitted 5 times for each feature");
  expect(asked(mounted)).toEqual([]);
  await userEvent.click(mounted.part("map-start"));
  await expect.poll(() => mounted.part("map-comparison").hidden).toBe(false);
  expect(asked(mounted)).toEqual(["loco"]);
});
