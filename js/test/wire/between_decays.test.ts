/** Figures at a decay between two steps of the table. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DecayProfile } from "../../src/wire/decode.ts";

const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const figure = fc.double({ min: -100, max: 100, noNaN: true }).map(Math.fround);

test("the nearer a step is, the more its figure counts", () => {
  fc.assert(
    fc.property(
      fc.array(figure, { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 0, max: 1 }),
      share,
      (all, at, part) => {
        const table = new DecayProfile(["support"], 1, { first: 0.5, step: 0.25, count: 3 }, Float32Array.from(all));
        const expected = (1 - part) * all[at]! + part * all[at + 1]!;
        expect(table.get("support", 0, 0.5 + 0.25 * (at + part))).toBeCloseTo(expected, 9);
      },
    ),
  );
});
