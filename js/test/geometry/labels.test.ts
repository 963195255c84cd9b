import { randomLcg } from "d3-random";
import { describe, expect, test } from "vitest";
import { type Labelled, labelBox, placeLabels } from "../../src/geometry/labels.ts";
import type { Box } from "../../src/geometry/pick.ts";

const frame: Box = { left: 0, right: 300, top: 0, bottom: 200 };
const touches = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

describe("labels", () => {
  test("stand right of their point where there is room, else left, above, below", () => {
    const alone = { x: 100, y: 100, radius: 5, width: 40 };
    expect(placeLabels([alone], 14, frame, [])).toEqual(["right"]);
    expect(placeLabels([{ ...alone, x: 290 }], 14, frame, [])).toEqual(["left"]);
    const wide = { ...alone, x: 150, width: 240 };
    expect(placeLabels([wide], 14, frame, [])).toEqual(["above"]);
    expect(placeLabels([{ ...wide, y: 10 }], 14, frame, [])).toEqual(["below"]);
  });

  test("are left out where none of the sides is free", () => {
    const one = { x: 100, y: 100, radius: 5, width: 400 };
    expect(placeLabels([one], 14, frame, [])).toEqual([null]);
  });

  test("move aside above a point near the edge, and stay in the frame", () => {
    const wide = { x: 280, y: 100, radius: 5, width: 280 };
    expect(placeLabels([wide], 14, frame, [])).toEqual(["above"]);
    expect(labelBox(wide, "above", 14, frame)).toMatchObject({ left: 20, right: 300 });
  });

  test("are given to the first points that have room, up to a number", () => {
    const at = (y: number) => ({ x: 100, y, radius: 5, width: 40 });
    expect(placeLabels([at(50), at(51), at(52), at(150)], 14, frame, [], 2)).toEqual(["right", "left", null, null]);
  });

  test("the first point is served first, and nobody what is reserved", () => {
    const at = (x: number) => ({ x, y: 100, radius: 5, width: 60 });
    expect(placeLabels([at(100), at(120)], 14, frame, [])).toEqual(["left", "right"]);
    const right = labelBox(at(100), "right", 14, frame);
    expect(placeLabels([at(100)], 14, frame, [right])).toEqual(["left"]);
  });

  test("touch neither each other nor a point, wherever these are", () => {
    const random = randomLcg(0.2);
    for (let round = 0; round < 50; round++) {
      const points = Array.from(
        { length: 20 },
        (): Labelled => ({
          x: 300 * random(),
          y: 200 * random(),
          radius: 12 * random(),
          width: 10 + 70 * random(),
        }),
      );
      const sides = placeLabels(points, 14, frame, []);
      const boxes = sides.map((side, at) => (side === null ? null : labelBox(points[at]!, side, 14, frame)));
      for (const [at, box] of boxes.entries()) {
        if (box === null) continue;
        expect(box.left >= 0 && box.right <= 300 && box.top >= 0 && box.bottom <= 200).toBe(true);
        for (const [other, its] of boxes.entries()) {
          if (other === at) continue;
          if (its !== null) expect(touches(box, its)).toBe(false);
          const { x, y, radius } = points[other]!;
          const disc = { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
          expect(touches(box, disc)).toBe(false);
        }
      }
    }
  });
});
