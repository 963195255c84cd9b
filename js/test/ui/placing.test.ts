import { expect, test } from "vitest";
import { placeBelow, placeBeside, placeOff, placeUnder } from "../../src/ui/placing.ts";

const room = { left: 10, right: 410, top: 20, bottom: 320 };
const card = { width: 100, height: 60 };
const point = (x: number, y: number) => ({ left: x, right: x, top: y, bottom: y });
const wide = (top: number) => ({ left: 20, right: 400, top, bottom: top + 24 });

test.each([
  ["to the right of its point, level with it", point(200, 100), card, { x: 214, y: 100 }],
  ["to the left where there is no room to the right", point(350, 100), card, { x: 236, y: 100 }],
  ["below what is as wide as the room", wide(100), card, { x: 160, y: 138 }],
  ["above it where that is nearer the end", wide(280), card, { x: 160, y: 206 }],
  ["inside at the lower edge", point(200, 310), card, { x: 214, y: 256 }],
  ["inside at the upper edge", point(200, 0), card, { x: 214, y: 24 }],
  ["with its beginning in sight where it is too large", point(200, 100), { width: 500, height: 400 }, { x: 14, y: 24 }],
])("a card stands %s", (_where, anchor, size, place) => {
  expect(placeBeside(anchor, size, room)).toEqual(place);
});

test.each([
  ["below where nothing is covered", [], { x: 214, y: 114 }],
  ["above where a curve falls", [{ x: 250, y: 130 }], { x: 214, y: 26 }],
  ["where fewer points are covered", [...[130, 140].map((y) => ({ x: 250, y })), { x: 250, y: 60 }], { x: 214, y: 26 }],
])("a card is off the curve, %s", (_where, points, place) => {
  expect(placeOff(points, point(200, 100), card, room)).toEqual(place);
});

test.each([
  ["under its button, flush with the right edge", { left: 300, right: 360, top: 40 }, room, { x: 260, y: 68 }],
  ["over it where there is room only there", { left: 300, right: 360, top: 276 }, room, { x: 260, y: 212 }],
  [
    "under it where there is room nowhere",
    { left: 300, right: 360, top: 276 },
    { ...room, top: 260 },
    { x: 260, y: 304 },
  ],
  ["between the edges of the room", { left: 20, right: 60, top: 40 }, room, { x: 14, y: 68 }],
])("a menu hangs %s", (_where, button, around, place) => {
  expect(placeUnder({ ...button, bottom: button.top + 24 }, card, around)).toEqual(place);
});

test.each([
  ["below it, flush with its left edge", { left: 20, right: 60, top: 40 }, { x: 20, y: 68 }],
  ["left of it where there is no room below", { left: 200, right: 260, top: 276 }, { x: 86, y: 256 }],
  ["right of it where there is none left of it", { left: 20, right: 60, top: 276 }, { x: 74, y: 256 }],
  ["above it where there is none beside it", { left: 20, right: 400, top: 276 }, { x: 20, y: 212 }],
])("an explanation is %s", (_where, term, place) => {
  expect(placeBelow({ ...term, bottom: term.top + 24 }, card, room)).toEqual(place);
});
