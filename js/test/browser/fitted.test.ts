/** Texts cut to the room that they have on an axis. */
import { expect, test, vi } from "vitest";
import { fitted, fittedApart, labelWidth } from "../../src/plot/marks/axis.ts";

const FONT = "11px sans-serif";
const widthOf = (text: string) => labelWidth([{ at: 0, label: text }], FONT);

test.each([
  "a review of the hotel by the sea",
  "体重（公斤）と身長（センチ）",
  "👩‍🔬".repeat(20),
  "ﬁ é blank   at the end   ",
  "iiiiWWWW",
])("as much of %s stays as fits, and no letter in halves", (text) => {
  for (const width of [15, 40, 80, 1000]) {
    const cut = fitted(text, width, FONT);
    if (cut === text) {
      expect(widthOf(text)).toBeLessThanOrEqual(width);
      continue;
    }
    const kept = cut.slice(0, -1);
    expect(text.startsWith(kept) && cut.endsWith("…") && !/[\uD800-\uDBFF]…$/.test(cut)).toBe(true);
    expect(widthOf(cut)).toBeLessThanOrEqual(width);
    const longer = text.slice(0, kept.length + [...text.slice(kept.length).trimStart()][0]!.length + 3);
    expect(widthOf(`${longer}…`)).toBeGreaterThan(width);
  }
});

test("a long text is measured a few times, not once for each letter", () => {
  const measured = vi.spyOn(CanvasRenderingContext2D.prototype, "measureText");
  fitted("the room was clean and the street is loud ".repeat(50), 104, FONT);
  expect(measured.mock.calls.length).toBeLessThan(20);
  measured.mockRestore();
});

test("of texts that begin alike, what they share is cut", () => {
  const shared = "the room was clean and the street is loud at night, ";
  const texts = ["good", `${shared}says one`, `${shared}says two`];
  const cut = fittedApart(texts, 80, FONT);
  expect(cut[0]).toBe("good");
  expect(new Set(cut).size).toBe(3);
  expect(cut[2]).toMatch(/^the .*….*two$/);
  expect(Math.max(...cut.map(widthOf))).toBeLessThanOrEqual(82);
});
