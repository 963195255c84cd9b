/** Names of features for which there is too little room. */
import { expect, test } from "vitest";
import { alike, LONG, manyFeatures } from "../../dev/made_up.ts";
import { frame, mount, mountFrame } from "./mount.ts";

/** Whether a part of a name ends where its name does, and loses nothing there. */
const isWhole = (node: Element): boolean =>
  node.scrollWidth <= node.clientWidth &&
  node.getBoundingClientRect().right <= node.parentElement!.getBoundingClientRect().right;

test.each([360, 1000])("at %i px every bar shows what tells its name from the others", async (width) => {
  const { parts, part } = await mountFrame(manyFeatures(8, {}, alike), width);
  if (width < 900) part("ranking-whole").click(); // five of them otherwise
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
  const { parts } = mount(manyFeatures(8, { _view: { right: "all" } }, alike), 400);
  await expect.poll(() => parts("tile").length).toBeGreaterThan(0);
  expect(parts("tile").map((tile) => tile.querySelector(".ice-own")!.textContent)).toContain("1");
});
