/** Names of features for which there is too little room. */
import { expect, test } from "vitest";
import { manyFeatures } from "../../dev/many.ts";
import { frame, type Mounted, mount } from "./mount.ts";

const LONG = "concentration of the measured quantity in the channel ";

/** Eight features whose names differ at their ends alone. */
function alike(width: number, overrides = {}): Mounted {
  const model = manyFeatures(8);
  const header = model.get("_header");
  const features = header.features.map((feature, at) => ({ ...feature, name: `${LONG}${at + 1}` }));
  return mount(manyFeatures(8, { feature: features[0]!.name, _header: { ...header, features }, ...overrides }), width);
}

const isWhole = (node: Element): boolean => node.scrollWidth <= node.clientWidth;

test.each([360, 1000])("at %i px every bar shows what tells its name from the others", async (width) => {
  const { parts, part } = alike(width);
  await frame();
  const own = parts("bar").map((bar) => bar.querySelector(".ice-own")!);
  expect(own.map((node) => node.textContent).sort()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  expect(own.every(isWhole)).toBe(true);
  expect(parts("bar").map((bar) => bar.querySelector(".ice-bar-name")!.textContent)).toEqual(
    parts("bar").map(({ dataset }) => dataset.feature),
  );
  expect(part("feature-title").textContent).toBe(`${LONG}1`);
  expect(isWhole(part("feature-title").querySelector(".ice-own")!)).toBe(true);
});

test("so do the tiles of all features", async () => {
  const { parts } = alike(400, { _view: { right: "all" } });
  await expect.poll(() => parts("tile").length).toBeGreaterThan(0);
  expect(parts("tile").map((tile) => tile.querySelector(".ice-own")!.textContent)).toContain("1");
});
