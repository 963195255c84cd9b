/** What a kernel would say makes lines differ, roughly: a few thresholds, and each level by itself. */
import { mean, quantileSorted } from "d3-array";
import { number } from "../src/format.ts";
import type { DriverBody, DriversBody } from "../src/protocol.ts";

export interface Second {
  name: string;
  values: ArrayLike<number>;
  kind: "number" | "boolean" | "levels" | "date" | "ordered";
  levels: readonly string[];
}

const PLACES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** How the lines run: each less its own mean, and less the mean of all. */
function shapesOf(curves: Float64Array, nGrid: number): number[][] {
  const rows = Array.from({ length: curves.length / nGrid }, (_, i) =>
    Array.from(curves.subarray(i * nGrid, (i + 1) * nGrid)),
  );
  const own = rows.map((row) => {
    const middle = mean(row)!;
    return row.map((value) => value - middle);
  });
  const all = Array.from({ length: nGrid }, (_, k) => mean(own, (row) => row[k]!)!);
  return own.map((row) => row.map((value, k) => value - all[k]!));
}

const squares = (row: readonly number[]): number => row.reduce((sum, value) => sum + value * value, 0);

/** The lines on one side tell those on the other, as all of them sum to nothing. */
function gain(shapes: readonly number[][], isIn: (i: number) => boolean): number {
  const nGrid = shapes[0]!.length;
  const sum = new Array<number>(nGrid).fill(0);
  let n = 0;
  for (const [i, row] of shapes.entries()) {
    if (!isIn(i)) continue;
    n++;
    for (let k = 0; k < nGrid; k++) sum[k] = sum[k]! + row[k]!;
  }
  return n === 0 || n === shapes.length ? 0 : squares(sum) * (1 / n + 1 / (shapes.length - n));
}

function best(shapes: readonly number[][], total: number, { name, values, kind, levels }: Second): DriverBody {
  const missing = Array.from(values).some(Number.isNaN);
  const none: DriverBody = { column: name, share: 0, rule: "", threshold: null, levels: null, sides: ["", ""] };
  const known = Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  const date = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10);
  const candidates: DriverBody[] =
    kind === "levels"
      ? levels.map((level, at) => ({
          column: name,
          share: gain(shapes, (i) => values[i] === at) / total,
          rule: missing ? `${name} is not ${level}, or missing` : `${name} is ${level}`,
          threshold: null,
          levels: [level],
          sides: [`${name} is not ${level}`, `${name} is ${level}`],
        }))
      : [...new Set(kind === "boolean" ? [0.5] : PLACES.map((place) => quantileSorted(known, place)!))].map((at) => {
          const text = kind === "date" ? date(at) : kind === "ordered" ? levels[at]! : number(at);
          const sides: [string, string] =
            kind === "boolean" ? [`${name} is false`, `${name} is true`] : [`${name} ≤ ${text}`, `${name} > ${text}`];
          return {
            column: name,
            share: gain(shapes, (i) => values[i]! > at) / total,
            rule: missing ? `${sides[0]} or missing` : sides[1],
            threshold: at,
            levels: null,
            sides,
          };
        });
  return candidates.reduce((one, other) => (other.share > one.share ? other : one), none);
}

export function driversOf(feature: string, curves: Float64Array, nGrid: number, seconds: Second[]): DriversBody {
  const shapes = shapesOf(curves, nGrid);
  const total = shapes.reduce((sum, row) => sum + squares(row), 0);
  const flat = total <= 1e-12 * squares(Array.from(curves));
  const drivers = flat
    ? []
    : seconds
        .map((second) => best(shapes, total, second))
        .filter(({ share }) => share > 0)
        .sort((a, b) => b.share - a.share);
  const [first, second] = drivers;
  const share = Math.min(1, (first?.share ?? 0) + (second?.share ?? 0) * 0.6);
  const leaves = (first?.sides ?? []).flatMap((side) =>
    (second?.sides ?? []).map((other) => ({ rule: `${side} and ${other}`, part: 0.25 })),
  );
  return { feature, drivers, combined: { share, leaves }, n_rows: shapes.length, n_curves: shapes.length };
}
