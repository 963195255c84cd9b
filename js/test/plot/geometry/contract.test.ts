/** What Python's engine wrote, done again here. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { distances, GHOST_OPACITY, likelihood, segmentOpacity } from "../../../src/plot/geometry/likelihood.ts";
import { type Anchor, anchorValues, centeredCurves, slopes } from "../../../src/plot/geometry/transforms.ts";

interface Transforms {
  grid: number[];
  observed: number[];
  likelihood_scale: number[];
  median: number;
  at_own: number[];
  curves: number[];
  centered: Record<string, number[]>;
  slopes: number[];
  likelihood: Record<string, number[]>;
}

function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../../tests/contract/raster/${name}`, import.meta.url), "utf-8")) as T;
}

function expectClose(actual: ArrayLike<number>, expected: number[], tolerance: number) {
  expect(actual.length).toBe(expected.length);
  for (const [z, value] of expected.entries()) {
    expect(Math.abs(actual[z]! - value), `number ${z}: ${actual[z]} for ${value}`).toBeLessThanOrEqual(
      tolerance * Math.max(1, Math.abs(value)),
    );
  }
}

describe("transforms", () => {
  const written = fixture<Transforms>("transforms.json");
  const curves = new Float32Array(written.curves);
  const { grid, observed, median } = written;

  it.each(Object.keys(written.centered))("centre curves as the engine does: at %s", (name) => {
    const anchor = (Number.isNaN(Number(name)) ? name : Number(name)) as Anchor;
    const held = anchorValues({ values: curves, grid, observed, at_own: written.at_own, median }, anchor);
    expectClose(centeredCurves(curves, held), written.centered[name]!, 1e-6);
  });

  it("take slopes as the engine does", () => {
    expectClose(slopes(curves, grid), written.slopes, 1e-5);
  });

  it.each(Object.keys(written.likelihood))("weigh by likelihood as the engine does: decay %s", (decay) => {
    const distance = distances(grid, observed, written.likelihood_scale);
    const expected = written.likelihood[decay]!;
    expectClose(likelihood(distance, Number(decay)), expected, 1e-6);
    const nGrid = grid.length;
    const atRightEnds = expected.filter((_, z) => z % nGrid !== 0);
    const faded = atRightEnds.map((weight) => GHOST_OPACITY + (1 - GHOST_OPACITY) * weight);
    expectClose(segmentOpacity(distance, nGrid, Number(decay)), faded, 1e-6);
  });
});
