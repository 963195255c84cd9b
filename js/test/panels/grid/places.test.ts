/** Where the tiles of the grid stand, and where the arrow keys lead. */
import { describe, expect, test } from "vitest";
import { placeAfter, placesInView, placesOf } from "../../../src/panels/grid/places.ts";

describe("tiles", () => {
  test("are as many in a row as there is room for, at least one", () => {
    expect(placesOf(664, 8)).toMatchObject({ columns: 3, rows: 3, tileWidth: 213 });
    expect(placesOf(372, 8)).toMatchObject({ columns: 2, rows: 4 });
    expect(placesOf(100, 8)).toMatchObject({ columns: 1, rows: 8, tileWidth: 100 });
    const { step, columns, tileWidth } = placesOf(665, 8);
    expect(Math.round(step * (columns - 1)) + tileWidth).toBe(665);
    expect(placesOf(664, 0)).toMatchObject({ rows: 0, height: 0 });
  });

  test("exist where they are seen and a row beyond, however many there are", () => {
    const places = placesOf(664, 2000);
    expect(placesInView(places, 2000, 0, 480)).toEqual([0, 12]);
    const [first, end] = placesInView(places, 2000, 10 * places.pitch, 480);
    expect([first, end]).toEqual([27, 42]);
    expect(placesInView(places, 2000, places.height, 480)[1]).toBe(2000);
    expect(placesInView(placesOf(664, 0), 0, 0, 480)).toEqual([0, 0]);
  });
});

describe("arrow keys", () => {
  test("go along rows and columns, and stay where there is no further tile", () => {
    expect(placeAfter("ArrowRight", 2, 3, 8)).toBe(3);
    expect(placeAfter("ArrowLeft", 0, 3, 8)).toBe(0);
    expect(placeAfter("ArrowDown", 1, 3, 8)).toBe(4);
    expect(placeAfter("ArrowDown", 5, 3, 8)).toBe(5);
    expect(placeAfter("ArrowUp", 4, 3, 8)).toBe(1);
    expect(placeAfter("ArrowUp", 1, 3, 8)).toBe(1);
    expect(placeAfter("Home", 5, 3, 8)).toBe(0);
    expect(placeAfter("End", 5, 3, 8)).toBe(7);
    expect(placeAfter("a", 5, 3, 8)).toBeNull();
  });

  test("go from tile to tile where there is one column", () => {
    expect(placeAfter("ArrowDown", 0, 1, 3)).toBe(1);
    expect(placeAfter("ArrowUp", 0, 1, 3)).toBe(0);
    expect(placeAfter("End", 0, 1, 1)).toBe(0);
  });
});
