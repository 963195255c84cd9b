import { randomLcg } from "d3-random";
import { describe, expect, test } from "vitest";
import { type Labelled, labelBox, placeLabels } from "../../src/geometry/labels.ts";
import type { Box } from "../../src/geometry/pick.ts";

const frame: Box = { left: 0, right: 300, top: 0, bottom: 200 };
const touches = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

describe("labels", () => {
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
