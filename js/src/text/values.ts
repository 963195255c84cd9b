/** Values of every kind of feature as the reader meets them; on the axis all of them are numbers. */
import type { ColumnKind, ContinuousColors, FeatureKind, Kind } from "../wire/protocol.ts";
import { type Clock, dateText, dateWriter, spanTexts, unitOf } from "./dates.ts";
import { axisNumber } from "./numbers.ts";

export interface Axis {
  kind: FeatureKind | ColumnKind;
  /** Values that are on the axis: durations take their unit from them, levels their places. */
  grid: ArrayLike<number>;
  levels: readonly string[] | null;
  /** How dates are written. */
  clock?: Clock;
}

const MISSING = "missing";
/** An observed level for which there are no curves. */
const OFF_GRID = "another level";

/** Whether the axis has levels, which are drawn as dots without a line in between. */
export const hasLevels = (kind: FeatureKind): boolean => kind === "category" || kind === "ordered" || kind === "group";

/** Whether there is no way from one level to the next, so that nothing has a slope. */
export const isUnordered = (kind: FeatureKind): boolean => kind === "category" || kind === "group";

/** The kind of curves that is drawn: levels without an order have no slopes. */
export const drawnKind = (kind: Kind, of: FeatureKind): Kind => (kind === "d-ice" && isUnordered(of) ? "ice" : kind);

/** How a value of this axis is written. */
export function writerOf({ kind, grid, levels, clock }: Axis): (value: number) => string {
  const known = (write: (value: number) => string) => (value: number) => (Number.isNaN(value) ? MISSING : write(value));
  const number = axisNumber(grid);
  if (levels !== null) return known((value) => levels[Array.prototype.indexOf.call(grid, value)] ?? OFF_GRID);
  switch (kind) {
    case "boolean":
      return known((value) => (value === 0 ? "false" : value === 1 ? "true" : number(value)));
    case "datetime":
      return known((value) => dateText(value, clock));
    case "timedelta": {
      const { perDay, short } = unitOf(grid);
      return known((value) => `${number(value * perDay)} ${short}`);
    }
    default:
      return known(number);
  }
}

/** Returns a function that writes places on this axis; grid values of dates are rounded. */
export function placeWriterOf(axis: Axis): (value: number) => string {
  return axis.kind === "datetime" ? dateWriter(axis.grid, axis.clock) : writerOf(axis);
}

/** What a slope is per. */
export function stepOf(kind: FeatureKind, feature: string): string {
  if (kind === "ordered") return `rank of ${feature}`;
  return kind === "datetime" || kind === "timedelta" ? `day of ${feature}` : `unit of ${feature}`;
}

/** How a value of a column is written that colours along a ramp. */
export function rampWriter({ of, domain, levels, clock }: ContinuousColors): (value: number) => string {
  return writerOf({ kind: of, grid: levels === null ? domain : levels.map((_, rank) => rank), levels, clock });
}

/** The ends of the ramp. */
export function rampEnds(scale: ContinuousColors): [string, string] {
  if (scale.of === "datetime") return spanTexts(scale.domain, scale.clock);
  return scale.domain.map(rampWriter(scale)) as [string, string];
}

/** Why ICE is drawn instead of d-ICE for levels without an order. */
export const noSlopes = (feature: string): string =>
  `${feature} has levels without an order, so there is no slope from one to the next. Its ICE is shown instead.`;
