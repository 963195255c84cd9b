/**
 * The curves that the legend hides, by the level that colours them. Filters are stored by names of levels, so that they
 * stay valid with other levels; drawing uses colour values.
 */
import type { CategoryColors, ColorScale, ViewChoices } from "../wire/protocol.ts";

export type Filter = ViewChoices["filters"][string];

/** Levels whose lines are hidden, by index; NaN is missing. */
export interface Hidden {
  /** 0 where nothing is hidden. */
  readonly size: number;
  has(value: number): boolean;
}

const NOTHING: Hidden = { size: 0, has: () => false };

/** The names of all that the legend of a category can switch off. */
const namesOf = ({ levels }: CategoryColors): (string | null)[] => [...levels, null];

const nameOf = ({ levels }: CategoryColors, level: number): string | null => levels[level] ?? null;

export function hiddenBy(filters: ViewChoices["filters"], scale: ColorScale | null): Hidden {
  const filter = scale === null ? undefined : filters[scale.column];
  if (scale?.kind !== "category" || filter === undefined) return NOTHING;
  const levels = filter.hidden.map((name) => (name === null ? Number.NaN : scale.levels.indexOf(name)));
  return new Set(levels.filter((level) => level !== -1));
}

const hiddenNames = (filter: Filter | null): (string | null)[] => filter?.hidden ?? [];

const hiding = (names: (string | null)[]): Filter | null => (names.length === 0 ? null : { hidden: names });

export function toggledLevel(scale: ColorScale, before: Filter | null, level: number): Filter | null {
  if (scale.kind !== "category") return before;
  const name = nameOf(scale, level);
  const names = hiddenNames(before);
  return hiding(names.includes(name) ? names.filter((other) => other !== name) : [...names, name]);
}

export function onlyLevel(scale: ColorScale, before: Filter | null, level: number): Filter | null {
  if (scale.kind !== "category") return before;
  const others = namesOf(scale).filter((name) => name !== nameOf(scale, level));
  const hidden = new Set(hiddenNames(before));
  const isOnly = hidden.size === others.length && others.every((name) => hidden.has(name));
  return isOnly ? null : hiding(others);
}
