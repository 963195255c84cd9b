/** What makes curves differ, roughly as a kernel finds it: a few thresholds, and each level by itself; not cross-fitted. */
import { mean, quantileSorted, sum } from "d3-array";
import { number } from "../src/text/numbers.ts";
import type { CategoryColors, DriverBody, DriversBody } from "../src/wire/protocol.ts";

export interface Second {
  name: string;
  values: ArrayLike<number>;
  kind: "number" | "boolean" | "levels" | "date" | "ordered";
  levels: readonly string[];
}

const PLACES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

const LEAST_SHARE = 0.05;

/** Shapes of curves, each less its own mean and less the mean of all; and the part of their variance that they are. */
function shapesOf(curves: Float64Array, nGrid: number): { shapes: number[][]; size: number } {
  const rows = Array.from({ length: curves.length / nGrid }, (_, i) =>
    Array.from(curves.subarray(i * nGrid, (i + 1) * nGrid)),
  );
  const own = rows.map((row) => {
    const middle = mean(row)!;
    return row.map((value) => value - middle);
  });
  const all = Array.from({ length: nGrid }, (_, k) => mean(own, (row) => row[k]!)!);
  const shapes = own.map((row) => row.map((value, k) => value - all[k]!));
  return { shapes, size: sum(shapes, squares) / sum(own, squares) };
}

const squares = (row: readonly number[]): number => row.reduce((sum, value) => sum + value * value, 0);

/** The lines on one side tell those on the other, as all of them sum to nothing. */
function gain(shapes: readonly number[][], isIn: (i: number) => boolean): number {
  const nGrid = shapes[0]!.length;
  const total = new Array<number>(nGrid).fill(0);
  let n = 0;
  for (const [i, row] of shapes.entries()) {
    if (!isIn(i)) continue;
    n++;
    for (let k = 0; k < nGrid; k++) total[k] = total[k]! + row[k]!;
  }
  return n === 0 || n === shapes.length ? 0 : squares(total) * (1 / n + 1 / (shapes.length - n));
}

type Split = Omit<DriverBody, "n_rule" | "n_rest"> & { isAbove: (i: number) => boolean };

function best(shapes: readonly number[][], total: number, { name, values, kind, levels }: Second): DriverBody {
  const missing = Array.from(values).some(Number.isNaN);
  const none: Split = {
    column: name,
    share: 0,
    rule: "",
    threshold: null,
    levels: null,
    sides: ["", ""],
    isAbove: () => false,
  };
  const known = Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  const date = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10);
  const candidates: Split[] =
    kind === "levels"
      ? levels.map((level, at) => ({
          column: name,
          share: gain(shapes, (i) => values[i] === at) / total,
          isAbove: (i) => values[i] === at,
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
            isAbove: (i) => values[i]! > at,
            rule: missing ? `${sides[0]} or missing` : sides[1],
            threshold: at,
            levels: null,
            sides,
          };
        });
  const { isAbove, ...split } = candidates.reduce((one, other) => (other.share > one.share ? other : one), none);
  const above = shapes.filter((_, i) => isAbove(i)).length;
  const [n_rule, n_rest] =
    split.rule === split.sides[1] ? [above, shapes.length - above] : [shapes.length - above, above];
  return { ...split, n_rule, n_rest };
}

export function driversOf(feature: string, curves: Float64Array, nGrid: number, seconds: Second[]): DriversBody {
  const { shapes, size } = shapesOf(curves, nGrid);
  const total = sum(shapes, squares);
  const flat = total <= 1e-12 * squares(Array.from(curves));
  const drivers = flat
    ? []
    : seconds
        .map((second) => best(shapes, total, second))
        .filter(({ share }) => share >= LEAST_SHARE)
        .sort((a, b) => b.share - a.share);
  const [first, second] = drivers;
  const rules = (first?.sides ?? []).flatMap((side) =>
    (second?.sides ?? []).map((other) => ({ rule: `${side} and ${other}`, n_rows: Math.floor(shapes.length / 4) })),
  );
  const combined =
    first === undefined || second === undefined
      ? { columns: [], share: 0, rules: [] }
      : { columns: [first.column, second.column], share: Math.min(1, first.share + second.share * 0.6), rules };
  return {
    feature,
    lead: leadOf(flat, size, drivers),
    sentence: sentenceOf(first),
    drivers,
    combined,
    n_rows: shapes.length,
    n_curves: shapes.length,
  };
}

/** The groups of two columns together, to colour by; which row is in which is not told here. */
export function groupsOf({ combined: { columns, rules } }: DriversBody): CategoryColors {
  return {
    column: columns.join(" and "),
    kind: "category",
    ordered: false,
    levels: rules.map(({ rule }) => rule),
    values: null,
    counts: rules.map(({ n_rows }) => n_rows),
  };
}

/** What a kernel finds where no single column explains anything: two together, or nothing. */
export function noColumn(feature: string, columns: readonly string[]): DriversBody {
  const [one, other] = columns;
  const sides = [`${one} ≤ 1 and ${other} is true`, `${one} ≤ 1 and ${other} is false`, `${one} > 1`];
  const rules = sides.map((rule, at) => ({ rule, n_rows: 75 * (at === 2 ? 2 : 1) }));
  const none = "Curves differ (63 % of their variance). No single column explains the differences";
  return {
    feature,
    lead: columns.length === 0 ? `${none}, nor do two together.` : `${none}.`,
    sentence: [],
    drivers: [],
    combined:
      columns.length === 0 ? { columns: [], share: 0, rules: [] } : { columns: [...columns], share: 0.62, rules },
    n_rows: 300,
    n_curves: 300,
  };
}

function sentenceOf(best: DriverBody | undefined): DriversBody["sentence"] {
  if (best === undefined) return [];
  return [
    { text: "+1.5 on average, but not one effect: ", group: null },
    { text: `+2.0 where ${best.rule}`, group: 1 },
    { text: ", ", group: null },
    { text: "+0.5 elsewhere", group: 0 },
    { text: ".", group: null },
  ];
}

function leadOf(flat: boolean, size: number, drivers: readonly DriverBody[]): string {
  if (flat) return "Curves do not differ in shape.";
  const differ = `Curves differ (${Math.round(size * 100)} % of their variance)`;
  if (drivers.length > 0) return `${differ}; of that:`;
  return `${differ}. No single column explains the differences, nor do two together.`;
}
