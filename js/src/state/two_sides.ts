/**
 * Curves in two colours: below and above the median of the colouring column, or on either side of its best split. The one
 * place where values become sides; legend, filter and card see levels like any others.
 */

import { rampWriter } from "../text/values.ts";
import type { CategoryColors, ColorScale, ColorsBody, DriverBody, DriversBody, ViewChoices } from "../wire/protocol.ts";

/** The splits that are known, best first. */
export const splitsOf = (body: DriversBody | null): DriversBody["drivers"] => body?.drivers ?? [];

/** On two sides of what. */
type Sides = "median" | DriverBody;
/** The same, or no split. */
export type Split = Sides | null;

/** Levels that are sides of a split, and what was split. */
export interface SplitScale extends CategoryColors {
  split: ColorScale;
}

const [BELOW, ABOVE, MISSING] = [0, 1, 2];
const MISSING_NAME = "missing";

export const isSplit = (scale: ColorScale): scale is SplitScale => "split" in scale;

/** What colours without a split. */
export const unsplit = (scale: ColorScale): ColorScale => (isSplit(scale) ? scale.split : scale);

/** The split that a reader chose; a column that explains nothing of this feature is not split. */
export function splitOf(coloring: ViewChoices["coloring"], column: string | null, drivers: DriversBody | null): Split {
  switch (coloring) {
    case "value":
      return null;
    case "median":
      return coloring;
    case "driver":
      return splitsOf(drivers).find((driver) => driver.column === column) ?? null;
  }
}

/** The side of a value, by the scale. */
function sideOf(scale: ColorScale, split: Sides): ((value: number) => boolean) | null {
  if (scale.kind === "continuous") {
    const at = split === "median" ? scale.median : split.threshold;
    return at === null ? null : (value) => value > at;
  }
  if (split === "median") return null;
  const { threshold, levels } = split;
  if (levels !== null) {
    const inside = scale.levels.map((level) => levels.includes(level));
    return (level) => inside[level]!;
  }
  const { values } = scale;
  return values === null || threshold === null ? null : (level) => values[level]! > threshold;
}

function namesOf(scale: ColorScale, split: Sides): [string, string] {
  if (split !== "median") return split.sides;
  if (scale.kind !== "continuous") return ["", ""];
  const at = rampWriter(scale)(scale.median);
  return [`${scale.column} ≤ ${at}`, `${scale.column} > ${at}`];
}

/** Two levels, or three where values are missing; the colours as they were where there is nothing to split at. */
export function splitColors(colors: ColorsBody, split: Split): ColorsBody {
  if (split === null) return colors;
  const isAbove = sideOf(colors.scale, split);
  if (isAbove === null) return colors;
  const values = colors.values.map((value) => (Number.isNaN(value) ? MISSING! : isAbove(value) ? ABOVE! : BELOW!));
  const counts = [BELOW, ABOVE, MISSING].map((side) => values.reduce((n, value) => n + Number(value === side), 0));
  const n = counts[MISSING!] === 0 ? 2 : 3;
  const scale: SplitScale = {
    column: colors.scale.column,
    kind: "category",
    ordered: false,
    levels: [...namesOf(colors.scale, split), MISSING_NAME].slice(0, n),
    values: null,
    counts: counts.slice(0, n),
    split: colors.scale,
  };
  return { scale, values };
}
