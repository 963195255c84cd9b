/** The values that the axis shows: all that are drawn, the range of all features, or most of the slopes. */
import { extent } from "d3-array";
import type { AleLine } from "./effects.ts";
import type { Scene } from "./scene.ts";

export interface ValueRange {
  /** Relative to the scene's base. */
  low: number;
  high: number;
  /** Whether the axis was cut to the bulk of the slopes. */
  isCut: boolean;
  /** How many lines leave it on each side. */
  above: number;
  below: number;
}

/** All values from the lowest to the highest. */
export const plainRange = (low: number, high: number): ValueRange => ({
  low,
  high,
  isCut: false,
  above: 0,
  below: 0,
});

export interface RangeChoices {
  /** Observed targets that are drawn as well. */
  target: Float64Array | null;
  /** ALE, where it is drawn as well. */
  ale: AleLine | null;
}

/** The share of all slopes, by the length of their intervals, that the axis shows at least. */
const BULK = 0.98;
/** A full range of not so many times the bulk is shown as it is. */
const WORTH_CUTTING = 1.5;
/** A smaller part of the full range is what rounding makes of slopes of 0. */
const LEAST_BULK = 1e-5;
/** Slopes that differ by a smaller part of themselves are one slope, and rounding: an axis without 0 would show that. */
const ONE_SLOPE = 1e-3;
/** Quantiles are those of so many slopes at most, of evenly chosen lines. */
const MOST_SLOPES = 20_000;

export type Ends = readonly [number, number];

/** From the lowest to the highest end; null without any. */
export function unionOf(ranges: readonly (Ends | null)[]): Ends | null {
  const [low, high] = extent(ranges.flatMap((range) => range ?? []));
  return low === undefined ? null : [low, high];
}

/** The narrowest interval from the lower to the upper tail of the slopes, 0 within it; null where that is a point. */
function bulkOf({ values, x, curves }: Scene): [number, number] | null {
  const nIntervals = x.length / 2;
  const every = Math.max(1, Math.ceil((curves.n_lines * nIntervals) / MOST_SLOPES));
  const slopes: number[] = [];
  const lengths: number[] = [];
  let total = 0;
  for (let line = 0; line < curves.n_lines; line += every) {
    for (let k = 0; k < nIntervals; k++) {
      const slope = values[line * x.length + 2 * k]!;
      if (!Number.isFinite(slope)) continue;
      slopes.push(slope);
      lengths.push(x[2 * k + 1]! - x[2 * k]!);
      total += lengths[lengths.length - 1]!;
    }
  }
  const order = Uint32Array.from(slopes.keys()).sort((a, b) => slopes[a]! - slopes[b]!);
  const tail = ((1 - BULK) / 2) * total;
  const reach = (places: Iterable<number>): number => {
    let passed = 0;
    for (const place of places) {
      passed += lengths[place]!;
      if (passed > tail) return slopes[place]!;
    }
    return 0;
  };
  const [low, high] = [Math.min(0, reach(order)), Math.max(0, reach(order.slice().reverse()))];
  return low < high ? [low, high] : null;
}

function leaving({ values, x, curves }: Scene, low: number, high: number): Pick<ValueRange, "above" | "below"> {
  let [above, below] = [0, 0];
  for (let line = 0; line < curves.n_lines; line++) {
    let [up, down] = [false, false];
    for (let z = line * x.length; z < (line + 1) * x.length; z++) {
      if (values[z]! > high) up = true;
      if (values[z]! < low) down = true;
    }
    above += Number(up);
    below += Number(down);
  }
  return { above, below };
}

export function valueRange(scene: Scene, { target, ale }: RangeChoices): ValueRange {
  const [low, high] = scene.extent;
  const all = plainRange(low, high);
  if (scene.kind === "d-ice") {
    if (high - low < ONE_SLOPE * Math.max(-low, high))
      return { ...all, low: Math.min(0, low), high: Math.max(0, high) };
    const bulk = bulkOf(scene);
    const share = bulk === null ? 0 : (bulk[1] - bulk[0]) / (high - low);
    if (bulk === null || share > 1 / WORTH_CUTTING || share < LEAST_BULK) return all;
    return { ...all, low: bulk[0], high: bulk[1], isCut: true, ...leaving(scene, ...bulk) };
  }
  const ends = [low, high];
  if (target !== null) ends.push(...extent(target, (value) => value - scene.base).filter((end) => end !== undefined));
  ends.push(...(ale?.values.filter(Number.isFinite) ?? []));
  return { ...all, low: Math.min(...ends), high: Math.max(...ends) };
}
