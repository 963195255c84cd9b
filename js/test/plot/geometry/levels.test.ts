import { describe, expect, it } from "vitest";
import { connectorOpacity, placeInStrip, stripEnds, stripReach } from "../../../src/plot/geometry/levels.ts";

describe("the strip of a level", () => {
  it("is a line for a handful of rows, and never reaches the next level", () => {
    expect(stripReach(20, 100)).toBe(0);
    for (const nRows of [21, 300, 5000]) {
      for (const room of [4, 20, 80, 400]) {
        const reach = stripReach(nRows, room);
        expect(reach).toBeGreaterThan(0);
        expect(reach).toBeLessThan(room / 2);
      }
    }
  });

  it("gives every row a place of its own, evenly", () => {
    const places = Array.from({ length: 1000 }, (_, position) => placeInStrip(position)).sort((a, b) => a - b);
    expect(places[0]).toBeGreaterThanOrEqual(-1);
    expect(places[999]).toBeLessThan(1);
    const gaps = places.slice(1).map((place, at) => place - places[at]!);
    expect(Math.min(...gaps)).toBeGreaterThan(0.0005);
    expect(Math.max(...gaps)).toBeLessThan(0.006);
  });

  it("is the same in saved figures: tests/figures/test_strips.py has these numbers, too", () => {
    expect([0, 1, 7].map(placeInStrip)).toEqual([
      -1,
      expect.closeTo(0.2360679774997898, 12),
      expect.closeTo(-0.34752415750147, 12),
    ]);
    expect([300, 5000].map((nRows) => stripReach(nRows, 100))).toEqual([expect.closeTo(20.784609690826528, 12), 30]);
    expect(stripReach(300, 50)).toBeCloseTo(17, 12);
  });

  it("ends on both sides of its centre", () => {
    expect(stripEnds([10, 50], 4)).toEqual(Float64Array.of(6, 14, 46, 54));
  });
});

describe("connectors", () => {
  it("run between strips only, faintly, and as strongly as the likelier end", () => {
    const out = new Float32Array(5).fill(9);
    connectorOpacity(Float32Array.of(1, 0.5, 0.25), out);
    expect(out[0]).toBe(0);
    expect(out[2]).toBe(0);
    expect(out[4]).toBe(0);
    expect(out[1]).toBeLessThan(0.5);
    expect(out[3]! / out[1]!).toBeCloseTo(0.5, 6);
  });

  it("are none where there is one level", () => {
    const out = new Float32Array(1).fill(9);
    connectorOpacity(Float32Array.of(1), out);
    expect(out).toEqual(Float32Array.of(0));
  });
});
