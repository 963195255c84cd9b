import { expect, test } from "vitest";
import { placeBeside, placeUnder } from "../../src/elements/placing.ts";

const room = { left: 10, right: 410, top: 20, bottom: 320 };
const card = { width: 100, height: 60 };
const point = (x: number, y: number) => ({ left: x, right: x, top: y, bottom: y });

test("a card stands to the right of its point, level with it", () => {
  expect(placeBeside(point(200, 100), card, room)).toEqual({ x: 214, y: 100 });
});

test("where there is no room to the right, it stands to the left", () => {
  expect(placeBeside(point(350, 100), card, room)).toEqual({ x: 236, y: 100 });
});

test("beside what is as wide as the room, it stands below, or above where that is nearer the end", () => {
  const wide = (top: number) => ({ left: 20, right: 400, top, bottom: top + 24 });
  expect(placeBeside(wide(100), card, room)).toEqual({ x: 160, y: 138 });
  expect(placeBeside(wide(280), card, room)).toEqual({ x: 160, y: 206 });
});

test("it never leaves the room, at any edge", () => {
  expect(placeBeside(point(200, 310), card, room)).toEqual({ x: 214, y: 256 });
  expect(placeBeside(point(200, 0), card, room)).toEqual({ x: 214, y: 24 });
});

test("a card larger than the room shows its beginning", () => {
  expect(placeBeside(point(200, 100), { width: 500, height: 400 }, room)).toEqual({ x: 14, y: 24 });
});

test("a menu hangs under its button, flush with the right edge", () => {
  expect(placeUnder({ left: 300, right: 360, top: 40, bottom: 64 }, card, room)).toEqual({ x: 260, y: 68 });
});

test("a menu goes over its button where there is room only there", () => {
  expect(placeUnder({ left: 300, right: 360, top: 276, bottom: 300 }, card, room)).toEqual({ x: 260, y: 212 });
  const low = { ...room, top: 260 };
  expect(placeUnder({ left: 300, right: 360, top: 276, bottom: 300 }, card, low)).toEqual({ x: 260, y: 304 });
});

test("a menu stays between the edges of the room", () => {
  expect(placeUnder({ left: 20, right: 60, top: 40, bottom: 64 }, card, room)).toEqual({ x: 14, y: 68 });
});
