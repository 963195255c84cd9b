/** Interactions and heat maps, roughly as a kernel computes them, on the first rows. */
import { mean, quantileSorted, sum } from "d3-array";
import { isUnordered } from "../src/text/values.ts";
import type { InteractionsBody, PairAxis, TwoWayBody } from "../src/wire/protocol.ts";
import type { FakeData, FakeFeature } from "./model.ts";

const MOST_ROWS = 40;
const MOST_PAIRED = 5;
const GRID = 16;
const REACH = 0.06;

const rowsOf = ({ features }: FakeData, most: number): number[] =>
  Array.from({ length: Math.min(most, features[0]!.values.length) }, (_, row) => row);

const known = (values: ArrayLike<number>): number[] =>
  Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);

const centred = (values: readonly number[]): number[] => {
  const middle = mean(values)!;
  return values.map((value) => value - middle);
};
const squares = (values: readonly number[]): number => sum(values, (value) => value * value) / values.length;

/** Mean predictions with some features set to the values that each row has. */
function dependence(data: FakeData, rows: readonly number[], moved: ReadonlySet<number>): number[] {
  return rows.map(
    (from) =>
      mean(rows, (row) =>
        data.predict(
          data.features.map(({ values }, at) => values[moved.has(at) ? from : row]!),
          row,
        ),
      )!,
  );
}

function jointOf(whole: readonly number[], ...parts: readonly number[][]): { h2: number; effect: number } {
  const all = centred(whole);
  const separate = parts.map(centred);
  const part = squares(all.map((value, at) => value - sum(separate, (each) => each[at]!)));
  const total = squares(all);
  return part < 1e-18 || total < 1e-18 ? { h2: 0, effect: 0 } : { h2: part / total, effect: Math.sqrt(part) };
}

export function interactionsOf(data: FakeData): InteractionsBody {
  const rows = rowsOf(data, MOST_ROWS);
  const at = data.features.map((_, place) => place);
  const nameOf = (place: number): string => data.features[place]!.name;
  const alone = at.map((place) => dependence(data, rows, new Set([place])));
  const whole = rows.map((row) =>
    data.predict(
      data.features.map(({ values }) => values[row]!),
      row,
    ),
  );
  const byFeature = at.map((place) => {
    const rest = dependence(data, rows, new Set(at.filter((other) => other !== place)));
    return { place, ...jointOf(whole, alone[place]!, rest) };
  });
  byFeature.sort((a, b) => b.h2 - a.h2);
  const paired = byFeature.slice(0, MOST_PAIRED).map(({ place }) => place);
  const pairs = paired.flatMap((one, rank) =>
    paired.slice(rank + 1).map((other) => {
      const [first, second] = [Math.min(one, other), Math.max(one, other)];
      const both = dependence(data, rows, new Set([first, second]));
      return { first: nameOf(first), second: nameOf(second), ...jointOf(both, alone[first]!, alone[second]!) };
    }),
  );
  const total = byFeature.length + pairs.length;
  const shareOf = (h2: number) => Math.min(1, 2 * h2);
  return {
    n_rows: rows.length,
    n_observations: data.features[0]!.values.length,
    done: total,
    total,
    features: byFeature.map(({ place, ...joint }) => ({ feature: nameOf(place), ...joint })),
    pairs: pairs.sort((a, b) => b.h2 - a.h2),
    additivity: byFeature.map(({ place, h2 }) => ({
      feature: nameOf(place),
      share: shareOf(h2),
      low: shareOf(0.8 * h2),
      high: shareOf(1.2 * h2),
      verdict: `The effect of ${nameOf(place)} depends on other features: ${(100 * shareOf(h2)).toPrecision(3)} % of its squared slope (95 % interval ${(100 * shareOf(0.8 * h2)).toPrecision(3)} to ${(100 * shareOf(1.2 * h2)).toPrecision(3)} %) differs between rows.`,
    })),
  };
}

function gridOf({ values, kind = "numeric", levels }: FakeFeature): Float64Array {
  if (levels !== undefined) return Float64Array.from(levels, (_, place) => place);
  const sorted = known(values);
  if (kind === "boolean") return Float64Array.of(0, 1);
  return Float64Array.from(new Set(Array.from({ length: GRID }, (_, k) => quantileSorted(sorted, k / (GRID - 1))!)));
}

const axisOf = (
  { name, kind = "numeric", levels = undefined, values }: FakeFeature,
  grid: Float64Array,
  rows: readonly number[],
): PairAxis => ({
  feature: name,
  kind,
  levels: kind === "boolean" ? null : (levels ?? null),
  clock: [],
  grid,
  observed: Float64Array.from(rows, (row) => values[row]!),
});

/** Which rows are near each value of the grid: at the same level, or within a share of the range. */
function nearOf({ values, kind = "numeric" }: FakeFeature, grid: Float64Array): boolean[][] {
  const reach = (grid.at(-1)! - grid[0]!) * REACH;
  const isLevel = kind === "boolean" || kind === "ordered" || isUnordered(kind);
  return Array.from(grid, (place) =>
    Array.from(values, (value) => (isLevel ? value === place : Math.abs(value - place) <= reach)),
  );
}

export function twoWayOf(data: FakeData, first: number, second: number): TwoWayBody {
  const [one, other] = [data.features[first]!, data.features[second]!];
  const rows = rowsOf(data, 300);
  const some = rowsOf(data, MOST_ROWS);
  const grids = [gridOf(one), gridOf(other)] as const;
  const cells = Array.from(grids[0]).flatMap((a) =>
    Array.from(
      grids[1],
      (b) =>
        mean(some, (row) =>
          data.predict(
            data.features.map(({ values }, at) => (at === first ? a : at === second ? b : values[row]!)),
            row,
          ),
        )!,
    ),
  );
  const [near, beside] = [nearOf(one, grids[0]), nearOf(other, grids[1])];
  const counts = near.flatMap((of) => beside.map((by) => of.filter((is, row) => is && by[row]).length));
  return {
    share_done: 1,
    two_way: {
      first: axisOf(one, grids[0], rows),
      second: axisOf(other, grids[1], rows),
      n_rows: rows.length,
      n_observations: one.values.length,
      values: Float64Array.from(cells),
      near: Uint32Array.from(counts),
    },
  };
}
