/**
 * Dates: on the axis in days since 1970 in UTC, as texts like ISO 8601 by the clock of their time zone.
 */
import { extent } from "d3-array";
import { utcTicks } from "d3-time";

export interface DateTick {
  value: number;
  label: string;
}

/** Clocks of a time zone: since when, and how far ahead of UTC [days]; the first one before that, too. Empty is UTC. */
export type Clock = readonly (readonly [number, number])[];
export const UTC: Clock = [];

const MS_PER_DAY = 86_400_000;
const EXACT = 1e-8; // days, a millisecond
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const dateOf = (days: number): Date => new Date(Math.round(days * MS_PER_DAY));
const year = (date: Date): string => String(date.getUTCFullYear());

/** The local time at a point in time. */
export function wallOf(clock: Clock, days: number): number {
  const change = clock.findLast(([since]) => since <= days + EXACT) ?? clock[0];
  return change === undefined ? days : days + change[1];
}

/** The first point in time with this local time; null for an hour that a clock change skips. */
export function instantOf(clock: Clock, wall: number): number | null {
  if (clock.length === 0) return wall;
  const found = clock.map(([, ahead]) => wall - ahead);
  return found.find((at) => Math.abs(wallOf(clock, at) - wall) < EXACT) ?? null;
}

/** A point in time, as finely as it is given: a day, a minute, a second or less. */
export function dateText(days: number, clock: Clock = UTC): string {
  const date = dateOf(wallOf(clock, days));
  if (Number.isNaN(date.getTime())) return "–";
  const [day = "", time = ""] = date.toISOString().slice(0, -1).split("T");
  if (time === "00:00:00.000") return day;
  return `${day} ${time.replace(/:00\.000$/, "").replace(/\.000$/, "")}`;
}

/** How points in time are written among others: to the day where these span years, to the minute where they span weeks. */
export function dateWriter(times: ArrayLike<number>, clock: Clock = UTC): (days: number) => string {
  const [first = 0, last = 0] = extent(Array.from(times));
  const span = last - first;
  if (span <= 10) return (days) => dateText(days, clock);
  const steps = span > 1000 ? 1 : 1440;
  // What is exact but for its last bits is not written as the moment before.
  return (days) => dateText(Math.floor(wallOf(clock, days) * steps + 1e-6) / steps);
}

/** The ends of a period, as precise as its length needs. */
export function spanTexts([first, last]: readonly [number, number], clock: Clock = UTC): [string, string] {
  const span = last - first;
  const steps = span > 10 ? 1 : span > 0.01 ? 1440 : 86_400_000;
  const rounded = (days: number) => dateText(Math.round(wallOf(clock, days) * steps) / steps);
  return [rounded(first), rounded(last)];
}

/** From fine to coarse: what an instant of such a kind is called, and what it is called in full. */
type Namer = { short: (date: Date) => string; full: (date: Date) => string };
const NAMERS: { fits: (date: Date) => boolean; namer: Namer }[] = [
  { fits: (date) => date.getUTCMonth() === 0 && date.getUTCDate() === 1, namer: { short: year, full: year } },
  {
    fits: (date) => date.getUTCDate() === 1,
    namer: {
      short: (date) => MONTHS[date.getUTCMonth()]!,
      full: (date) => `${MONTHS[date.getUTCMonth()]} ${year(date)}`,
    },
  },
  {
    fits: () => true,
    namer: {
      short: (date) => `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`,
      full: (date) => `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${year(date)}`,
    },
  },
];
const isMidnight = (date: Date): boolean => date.getTime() % MS_PER_DAY === 0;
const isWithin = (date: Date, other: Date | undefined, digits: number): boolean =>
  other !== undefined && date.toISOString().slice(0, digits) === other.toISOString().slice(0, digits);

/** A label has what changed since the tick before; the first one, and the first of a year or day, is complete. */
function labelOf(dates: readonly Date[], place: number): string {
  const date = dates[place]!;
  const before = dates[place - 1];
  if (!dates.every(isMidnight)) {
    const time = date.toISOString().slice(11, dates.every((each) => each.getTime() % 60_000 === 0) ? 16 : 19);
    return isWithin(date, before, 10) ? time : `${NAMERS[2]!.namer.short(date)} ${time}`;
  }
  const { namer } = NAMERS.find(({ fits }) => dates.every(fits))!;
  return isWithin(date, before, 4) ? namer.short(date) : namer.full(date);
}

/** About so many ticks at round dates. */
export function dateTicks([first, last]: readonly [number, number], wanted: number, clock: Clock = UTC): DateTick[] {
  const dates = utcTicks(dateOf(wallOf(clock, first)), dateOf(wallOf(clock, last)), wanted);
  return dates.flatMap((date, place) => {
    const value = instantOf(clock, date.getTime() / MS_PER_DAY);
    const isWithin = value !== null && value >= first - EXACT && value <= last + EXACT;
    return isWithin ? [{ value, label: labelOf(dates, place) }] : [];
  });
}

export interface Unit {
  name: string;
  short: string;
  perDay: number;
}

const UNITS: readonly Unit[] = [
  { name: "days", short: "d", perDay: 1 },
  { name: "hours", short: "h", perDay: 24 },
  { name: "minutes", short: "min", perDay: 1440 },
  { name: "seconds", short: "s", perDay: 86_400 },
];

/** The largest unit of which the longest duration has at least three. */
export function unitOf(durations: ArrayLike<number>): Unit {
  const longest = Array.from(durations).reduce((most, days) => Math.max(most, Math.abs(days) || 0), 0);
  return UNITS.find(({ perDay }) => longest * perDay >= 3) ?? UNITS[longest === 0 ? 0 : UNITS.length - 1]!;
}
