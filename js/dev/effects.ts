/** ALE, M-plot, correlations and values unlike the data, roughly as a kernel finds them; not cross-fitted. */
import { ascending, deviation, mean, quantileSorted, rank, sum } from "d3-array";
import type { CorrelatedBody } from "../src/wire/protocol.ts";

export interface Varied {
  values: Float64Array;
  /** Whether the values are numbers of levels. */
  areLevels: boolean;
  /** Prediction of a row with a value in place of its own. */
  predict: (row: number, value: number) => number;
}

const MOST_BINS = 24;

function gridOf({ values, areLevels }: Varied): Float64Array {
  const known = Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort(ascending);
  const distinct = [...new Set(known)];
  if (areLevels || distinct.length <= MOST_BINS) return Float64Array.from(distinct);
  const ends = Array.from({ length: MOST_BINS + 1 }, (_, at) => quantileSorted(known, at / MOST_BINS)!);
  return Float64Array.from(new Set(ends));
}

/** Place of a value between grid values: 1.25 is a quarter of the way from the second to the third. */
function placeOf(grid: Float64Array, value: number): number {
  const above = grid.findIndex((each) => each >= value);
  if (above <= 0) return above === 0 ? 0 : grid.length - 1;
  return above - 1 + (value - grid[above - 1]!) / (grid[above]! - grid[above - 1]!);
}

export function effectsOf(varied: Varied): {
  grid: Float64Array;
  ale: Float32Array;
  mean: number;
} {
  const { values, predict } = varied;
  const grid = gridOf(varied);
  const rows = Array.from(values.keys()).filter((row) => !Number.isNaN(values[row]!));
  const steps = Array.from(grid.slice(1), (end, k) => {
    const near = rows.filter((row) => values[row]! >= grid[k]! && values[row]! <= end);
    return mean(near, (row) => predict(row, end) - predict(row, grid[k]!)) ?? 0;
  });
  const accumulated = [0];
  for (const step of steps) accumulated.push(accumulated.at(-1)! + step);
  const atRow = (row: number): number => {
    const place = placeOf(grid, values[row]!);
    const [low, share] = [Math.floor(place), place % 1];
    return accumulated[low]! + share * ((accumulated[low + 1] ?? 0) - accumulated[low]!);
  };
  const centre = mean(rows, atRow)!;
  const prediction = mean(rows, (row) => predict(row, values[row]!))!;
  return { grid, ale: Float32Array.from(accumulated, (value) => value - centre), mean: prediction };
}

/** Pearson correlation of ranks. */
function spearman(one: Float64Array, other: Float64Array): number {
  const [a, b] = [rank(one), rank(other)];
  const [ma, mb] = [mean(a)!, mean(b)!];
  const product = sum(a.keys(), (row) => (a[row]! - ma) * (b[row]! - mb));
  return product / (a.length * deviation(a)! * deviation(b)!);
}

export function correlatedOf(
  feature: string,
  features: readonly { name: string; values: Float64Array; areLevels: boolean }[],
): CorrelatedBody {
  const own = features.find(({ name }) => name === feature)!;
  const items = features
    .filter(({ name }) => name !== feature)
    .map(({ name, values, areLevels }) => {
      const value = spearman(own.values, values);
      const isRatio = areLevels || own.areLevels;
      return {
        column: name,
        correlation: isRatio ? Math.abs(value) : value,
        measure: isRatio ? ("correlation_ratio" as const) : ("spearman" as const),
      };
    })
    .filter(({ correlation }) => Number.isFinite(correlation))
    .sort((a, b) => Math.abs(b.correlation) - Math.abs(a.correlation));
  const sizes = items.map(({ correlation }) => Math.abs(correlation));
  if (!sizes.some((size) => size >= 0.5)) {
    return { feature, lead: `No other feature has a correlation of 0.5 or more with ${feature}.`, items: [] };
  }
  return { feature, lead: "Varies with", items: items.slice(0, 5).filter((_, at) => sizes[at]! >= 0.3) };
}

/** Whether each grid value of each row is further from a line through another feature than 99 % of all rows are. */
export function unlikeFlags(grid: Float64Array, own: Float64Array, other: Float64Array): Uint8Array[] {
  const [mo, mx] = [mean(own)!, mean(other)!];
  const slope = sum(own.keys(), (i) => (own[i]! - mo) * (other[i]! - mx)) / sum(other, (value) => (value - mx) ** 2);
  const expected = other.map((value) => mo + slope * (value - mx));
  const far = Array.from(own, (value, i) => Math.abs(value - expected[i]!)).sort(ascending);
  const threshold = quantileSorted(far, 0.99)!;
  return Array.from(expected, (each) => Uint8Array.from(grid, (value) => Number(Math.abs(value - each) > threshold)));
}
