import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { manyFeatures } from "../../dev/many.ts";
import { clinic, FakeKernel, rentals } from "../../dev/model.ts";
import { frame, ink, kernel, type Mounted, mount, press, slideTo } from "./mount.ts";

const shown = { left: "map" } as const;

async function mapped(model = kernel.model({ feature: "Age", _view: shown }), width = 1000): Promise<Mounted> {
  const mounted = mount(model, width);
  await expect.poll(() => mounted.parts("map-label").length).toBeGreaterThan(0);
  return mounted;
}

const labels = ({ parts }: Mounted) => parts("map-label").map(({ textContent }) => textContent);

test("features stand by heterogeneity and non-linearity; the open one has the accent, and no label touches another", async () => {
  const mounted = await mapped();
  const open = mounted.part("map-open");
  const style = getComputedStyle(open);
  const probe = document.createElement("i");
  probe.style.color = "var(--ice-accent)";
  mounted.root.append(probe);
  expect(style.fill).toBe(getComputedStyle(probe).color);
  expect(open.dataset.feature).toBe("Age");
  expect(labels(mounted)).toContain("Age");
  expect(ink(mounted.part("map-points"))).toBeGreaterThan(100);
  const boxes = mounted.parts("map-label").map((label) => label.getBoundingClientRect());
  for (const [at, a] of boxes.entries()) {
    for (const b of boxes.slice(at + 1)) {
      expect(a.left < b.right && b.left < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom).toBe(false);
    }
  }
});

test("a click opens the feature under the pointer, and its card has the figures of its bar", async () => {
  const mounted = await mapped();
  mounted.part("map").focus();
  await press("{Home}{ArrowDown}");
  expect(mounted.part("tooltip").textContent).toMatch(
    /^Steps a daykindnumbers, \d+ grid valuesimpact0\.\d+in distribution/,
  );
  const ring = mounted.part("map-ring").getBoundingClientRect();
  const box = mounted.part("map").getBoundingClientRect();
  const position = { x: ring.left - box.left + ring.width / 2, y: ring.top - box.top + ring.height / 2 };
  await userEvent.click(mounted.part("map"), { position });
  await mounted.drawn("Steps a day");
  expect(mounted.model.get("feature")).toBe("Steps a day");
  await press("{ArrowDown}");
  const card = mounted.part("tooltip").innerText;
  const { feature } = mounted.part("map-ring").dataset;
  await userEvent.click(mounted.part("tab-bars"));
  await userEvent.hover(mounted.bar(feature!));
  await expect.poll(() => mounted.part("tooltip").hidden).toBe(false);
  expect(mounted.part("tooltip").innerText).toContain(card); // and why the bar is longer than its tick
});

test("of two thousand features the strongest with room are named, and points are small", async () => {
  const mounted = await mapped(manyFeatures(2000, { _view: shown }));
  const named = labels(mounted);
  expect(named.length).toBeGreaterThan(3);
  expect(named.length).toBeLessThan(16);
  const open = mounted.part("map-open");
  expect(named).toContain(open.dataset.feature);
  mounted.part("map").focus();
  await press("{Home}");
  expect(Number(mounted.part("map-ring").getAttribute("r"))).toBeLessThanOrEqual(10);
});

test("arrow keys walk by rank from the open feature, Enter opens, Escape leaves", async () => {
  const { part, parts, drawn } = await mapped();
  const ring = () => parts("map-ring").map(({ dataset }) => dataset.feature);
  part("map").focus();
  await press("{ArrowDown}");
  expect(ring()).toEqual(["Age"]);
  await press("{ArrowDown}");
  expect(ring()).toEqual(["Steps a day"]);
  await userEvent.keyboard("{Enter}");
  await drawn("Steps a day");
  await press("{ArrowUp}{ArrowUp}{ArrowUp}{ArrowUp}");
  expect(ring()).toEqual(["Age"]);
  await press("{Escape}");
  expect(ring()).toEqual([]);
  expect(part("tooltip").hidden).toBe(true);
});

test("the area is the figure of the ranking, as the sentence says; the slider changes sizes and leaves places as they are", async () => {
  const mounted = await mapped(kernel.model({ feature: "Smoker", _view: shown }));
  expect(mounted.part("map-key").textContent).toBe(
    "Up: more curved. Right: differs more between rows. Area: in-distribution impact. Counted per step of one SD.",
  );
  const before = mounted.part("map-open").getAttribute("r");
  mounted.model.push("rank_by", "heterogeneity");
  await frame();
  expect(mounted.part("map-key").textContent).toContain("Area: heterogeneity.");
  expect(mounted.part("map-open").getAttribute("r")).not.toBe(before);
  const open = () => mounted.part("map-open");
  mounted.model.push("rank_by", "in_distribution_impact");
  await frame();
  const places = ["cx", "cy", "r"].map((name) => Number(open().getAttribute(name)));
  await slideTo(mounted.part("decay-slider"), 0.05);
  const after = ["cx", "cy", "r"].map((name) => Number(open().getAttribute(name)));
  expect(after.slice(0, 2)).toEqual(places.slice(0, 2));
  expect(after[2]).not.toBe(places[2]);
});

test("levels without an order stand in a strip of their own", async () => {
  const flats = new FakeKernel(rentals(80));
  const mounted = await mapped(flats.model({ feature: "District", _view: shown }));
  const at = () => Number(mounted.part("map-open").getAttribute("cy"));
  const strip = Number(mounted.part("map-strip").getAttribute("y"));
  expect(at()).toBeGreaterThan(strip);
  mounted.model.push("feature", "Area");
  await expect.poll(() => mounted.part("map-open").dataset.feature).toBe("Area");
  expect(at()).toBeLessThan(strip);
});

test("while features are computed the map says how many there are", async () => {
  const none = mount(kernel.model({ ...kernel.partial(0), _view: shown }));
  await expect.poll(() => none.part("map-message").textContent).toBe("Features appear here as they are computed.");
  expect(none.part("map").hidden).toBe(true);
  const some = await mapped(kernel.model({ ...kernel.partial(3), feature: "Age", _view: shown }));
  expect(some.part("map-remark").textContent).toBe("3 of 8 features so far.");
  expect(some.part("map").getAttribute("aria-label")).toMatch(/^Map of 3 features\./);
});

test("a linear model's features stand at the origin, not on its rounding", async () => {
  const data = { ...clinic(60), predict: ([age, bmi]: number[]) => 0.3 * age! + 0.1 * bmi! };
  const mounted = await mapped(new FakeKernel(data).model({ feature: "Age", _view: shown }));
  const [x, y] = ["cx", "cy"].map((name) => Number(mounted.part("map-open").getAttribute(name)));
  const ticks = [...mounted.part("map").querySelectorAll(".ice-gridline")].map((line) =>
    Number(line.getAttribute("y1")),
  );
  expect(y).toBeCloseTo(Math.max(...ticks), 3);
  expect(x).toBeLessThan(100);
});

test("names on the map are text, whatever they contain", async () => {
  const data = clinic(40);
  data.features[0]!.name = "<img src=x>";
  const mounted = await mapped(new FakeKernel(data).model({ feature: "<img src=x>", _view: shown }));
  expect(labels(mounted)).toContain("<img src=x>");
  expect(mounted.root.querySelector("img")).toBeNull();
});
