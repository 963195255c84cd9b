/** The axis of a feature: by value, or by rank, where each px has about equally many distinct values. */
import { bisectRight } from "d3-array";
import { decimalFormat } from "../text/numbers.ts";
import { hasLevels } from "../text/values.ts";
import type { CurvesBody, ViewChoices } from "../wire/protocol.ts";
import { move, type Scale, scaleLinear } from "./marks/scale.ts";

/** What the axis depends on. */
type Values = Pick<CurvesBody, "grid" | "kind" | "observed">;

/** Features with no more values than this have a tick for each, and room around the outer ones. */
export const FEW_VALUES = 6;
/** Where more than so many rows lie in less than so much of the axis, it is by rank. */
const [MOST_ROWS, LEAST_ROOM] = [0.8, 0.15];

/** The range of the grid, with room around a single value and around few values, as around levels. */
export function featureDomain({ grid, kind }: Pick<Values, "grid" | "kind">): [number, number] {
  const first = grid[0] ?? 0;
  const last = grid[grid.length - 1] ?? 0;
  if (hasLevels(kind)) return [first - 0.5, last + 0.5];
  const share = grid.length === 2 ? 0.12 : grid.length <= FEW_VALUES ? 0.05 : 0;
  const room = last > first ? (last - first) * share : Math.abs(first) * 0.1 || 0.5;
  return [first - room, last + room];
}

/** Whether the axis is by rank: numbers alone can be, and those that are crowded are unless a reader chose otherwise. */
export function isByRank({ grid, kind, observed }: Values, axis: ViewChoices["axis"]): boolean {
  if (kind !== "numeric" || grid.length <= FEW_VALUES || axis === "value") return false;
  if (axis === "rank") return true;
  const sorted = observed.filter(Number.isFinite).sort();
  const n = Math.floor(MOST_ROWS * sorted.length);
  const room = LEAST_ROOM * (grid[grid.length - 1]! - grid[0]!);
  return sorted.some((value, at) => at + n < sorted.length && sorted[at + n]! - value < room);
}

/** The scale of the axis of a feature, over a range in px. */
export function featureScale(curves: Values, range: [number, number], axis: ViewChoices["axis"]): Scale {
  const linear = scaleLinear(featureDomain(curves), range);
  return isByRank(curves, axis) ? rankScale(curves, linear) : linear;
}

/** Linear between neighbouring observed values, which are all equally far apart. */
function rankScale({ observed }: Values, linear: Scale): Scale {
  const [first, last] = linear.domain();
  const inside = observed.filter((value) => value > first && value < last);
  const values = Float64Array.from(new Set([first, ...inside.sort(), last]));
  const px = scaleLinear([0, values.length - 1], linear.range());
  const stretchOf = (value: number): number => Math.min(values.length - 2, Math.max(0, bisectRight(values, value) - 1));
  const scale = (value: number): number => {
    const at = stretchOf(value);
    return px(move(value, [values[at]!, values[at + 1]!], [at, at + 1]));
  };
  const invert = (at: number): number => {
    const place = px.invert(at);
    const before = Math.min(values.length - 2, Math.max(0, Math.floor(place)));
    return move(place, [before, before + 1], [values[before]!, values[before + 1]!]);
  };
  return Object.assign(scale, {
    domain: linear.domain,
    range: linear.range,
    invert,
    ticks: (count: number) =>
      roundValues(Array.from({ length: count + 1 }, (_, k) => invert(px((k / count) * (values.length - 1))))),
    tickFormat: (_count: number, options?: Intl.NumberFormatOptions) =>
      decimalFormat({ maximumSignificantDigits: 6, ...options }),
  });
}

/** Values rounded as far as their neighbours stay distinct, those between the first and the last. */
function roundValues(values: readonly number[]): number[] {
  const [first, last] = [values[0]!, values[values.length - 1]!];
  const rounded = values.map((value, k) => {
    const step = Math.min(
      value - (values[k - 1] ?? Number.NEGATIVE_INFINITY),
      (values[k + 1] ?? Number.POSITIVE_INFINITY) - value,
    );
    if (!(step > 0)) return value;
    const power = Math.floor(Math.log10(step));
    return Number((Math.round(value / 10 ** power) * 10 ** power).toFixed(Math.max(0, -power)));
  });
  return [...new Set(rounded)].filter((value) => value >= first && value <= last);
}
