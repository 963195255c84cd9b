/** Numbers and counts as texts. */
import type { Distance } from "../wire/protocol.ts";

/** Formats by their options: making one takes as long as writing 80 numbers. */
const FORMATS = new Map<string, Intl.NumberFormat>();

/** Writes decimal numbers in English, with a minus sign (U+2212); a negative number that rounds to 0 has no sign. */
export function decimalFormat(options: Intl.NumberFormatOptions = {}): (value: number) => string {
  const key = JSON.stringify(options);
  const format = FORMATS.get(key) ?? new Intl.NumberFormat("en-US", { signDisplay: "negative", ...options });
  FORMATS.set(key, format);
  return (value) => format.format(value).replace("-", "−");
}

/** The largest number of decimals that is written. */
const MOST_DECIMALS = 20;

/** Numbers with exactly so many decimals; more options as for `Intl.NumberFormat`. */
export function fixedFormat(decimals: number, options: Intl.NumberFormatOptions = {}): (value: number) => string {
  const digits = Math.min(MOST_DECIMALS, Math.max(0, decimals));
  return decimalFormat({ minimumFractionDigits: digits, maximumFractionDigits: digits, ...options });
}

const grouped = decimalFormat({ maximumFractionDigits: 0 });

/** Axes that reach this far have their thousands separated; years and codes of four digits are read without. */
const SEPARATED_FROM = 10_000;

/** Whether thousands are separated on an axis of these values. */
export const separatesThousands = (axis: ArrayLike<number>): boolean =>
  Array.prototype.some.call(axis, (value: number) => Math.abs(value) >= SEPARATED_FROM);

/** A text in exponential notation, typeset: 2.5e6, −2.5e−6. */
const typeset = (text: string): string => text.replace("+", "").replaceAll("-", "−");
/** In exponential notation with at most so many decimals. */
const exponential = (value: number, decimals: number): string =>
  typeset(Number(value.toExponential(decimals)).toExponential());

/** A value below this share of a related one is a rounding error. */
const ROUNDING = 1e-12;
const isRounding = (value: number, relatedTo: number): boolean =>
  value === 0 || Math.abs(value) < ROUNDING * Math.abs(relatedTo);

/**
 * A single number: at most three significant digits, whole from 1,000 on, and in exponential notation where zeros would
 * have to be counted. A rounding error of the number that it is related to is 0.
 */
export function number(value: number, relatedTo = 0, digits: 3 | 4 = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (isRounding(value, relatedTo)) return "0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return exponential(value, digits - 1);
  const isWhole = Number.isInteger(value) || (digits === 3 && size >= 1000);
  return isWhole ? grouped(value) : decimalFormat({ maximumSignificantDigits: digits })(value);
}

/** Returns a function that writes single values of an axis, with a digit more. */
export const axisNumber = (axis: ArrayLike<number>): ((value: number) => string) =>
  separatesThousands(axis) ? (value) => number(value, 0, 4) : (value) => number(value, 0, 4).replaceAll(",", "");

/** A cell as a table has it; numbers with a minus sign, and exponents without zeros. */
export const cellText = (text: string): string =>
  /^-?[\d.]+(e[-+]\d+)?$/.test(text) ? typeset(text.replace(/(?<=e[-+])0+/, "")) : text;

/** A change with its sign, also that of an increase. */
export const signed = (value: number, relatedTo = 0): string => withSign(value, number(value, relatedTo));

/** The text of a change with its sign, unless it rounds to 0. */
export const withSign = (value: number, text: string): string => (value > 0 && !isNothing(text) ? `+${text}` : text);

export const count = (value: number): string => (Number.isFinite(value) ? grouped(Math.round(value)) : "–");

/** One format for a column of figures, so that their points align: three significant digits of the largest. */
export function columnFormat(largest: number): (value: number) => string {
  if (!Number.isFinite(largest) || largest <= 0) return (value) => number(value);
  const decimals = 2 - Math.floor(Math.log10(largest));
  const hasExponents = decimals > 6 || decimals < -3;
  const write = hasExponents ? (value: number) => typeset(value.toExponential(2)) : fixedFormat(decimals);
  return (value) => {
    if (!Number.isFinite(value)) return "–";
    return hasExponents && isRounding(value, largest) ? "0" : write(value);
  };
}

/** The same for figures that are not negative: "< 0.001" instead of zeros only, and "0" for 0. */
export function figureFormat(largest: number): (value: number) => string {
  const write = columnFormat(largest);
  const zeros = write(0);
  const least = /\D/.test(zeros) ? zeros.replace(/0$/, "1") : "1";
  return (value) => {
    if (isRounding(value, largest)) return "0";
    return write(value) === zeros ? `< ${least}` : write(value);
  };
}

/** The largest number of a column has at most so many digits after which decimals are cut. */
const COLUMN_DIGITS = 6;

/** Texts of a column, numbers with as many decimals each and a minus sign; other texts stay as they are. */
export function alignedTexts(texts: readonly string[]): string[] {
  const isPlain = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);
  const numbers = texts.filter((text) => text !== "");
  if (numbers.length === 0 || !numbers.every(isPlain)) return [...texts];
  const written = Math.max(...numbers.map((text) => (text.split(".")[1] ?? "").length));
  const largest = Math.max(...numbers.map((text) => Math.abs(Number(text))));
  const whole = largest >= 1 ? Math.floor(Math.log10(largest)) + 1 : 1;
  const write = fixedFormat(Math.min(written, Math.max(0, COLUMN_DIGITS - whole)), { useGrouping: false });
  return texts.map((text) => (text === "" ? "" : write(Number(text))));
}

/** Whether a figure in this format rounds to 0. */
export const isNothing = (text: string): boolean => text.startsWith("<") || /^0(\.0+)?(?![.\d])/.test(text);

/** Ticks with more decimals than this, or from this size on, are written with exponents. */
const MOST_TICK_DECIMALS = 5;
const LONG = 1e7;
/** Ticks that differ only from this digit on are written out. */
const MOST_DIGITS = 6;

/** How ticks up to `largest` that differ by `step` are written with exponents; null where they need none. */
export function tickExponents(largest: number, step: number): ((value: number) => string) | null {
  const lowest = Math.floor(Math.log10(step) + 1e-9);
  const digits = Math.floor(Math.log10(largest)) - lowest;
  if ((largest < LONG && lowest >= -MOST_TICK_DECIMALS) || !(digits <= MOST_DIGITS)) return null;
  return (value) => (value === 0 ? "0" : exponential(value, Math.max(0, digits)));
}

/** The distance from the observed value, in scales, at which phantom observations count half. Infinite without decay. */
export const halfWeight = (decay: number): number =>
  decay >= 1 ? Number.POSITIVE_INFINITY : Math.log(0.5) / Math.log(decay);

/** What distances are measured in. */
const UNITS: Record<Distance, string> = {
  marginal: "SD",
  conditional: "SD (given the other features)",
  custom: "scales",
};

/** The weight of far values, as a sentence about the open feature; `unordered` levels have no distance. */
export function reachText(decay: number, distance: Distance, unordered: boolean): string {
  const half = halfWeight(decay);
  if (half === Number.POSITIVE_INFINITY) return `all ${unordered ? "levels" : "values"} count alike`;
  if (unordered) {
    return `${distance === "conditional" ? "levels that the other features rule out" : "other levels"} count ${number(decay)}`;
  }
  return `a value ${half.toFixed(half < 0.1 ? 2 : 1)} ${UNITS[distance]} from the observed one counts half`;
}

/** The weight of all phantom observations that the decay keeps; "" if it is not known, or if all is kept. */
export function keptText(decay: number, support: number, estimated: boolean): string {
  if (decay >= 1 || !Number.isFinite(support)) return "";
  const kept = percent(support);
  return `${estimated && !kept.startsWith("<") ? "≈ " : ""}${kept} of the weight kept`;
}

/** Shares that are unlike the data below this one are not told: of rows as observed, 1 % are. */
export const RARE = 0.01;

/** How much of a curve is unlike 99 % of rows, as a sentence; "" where that is little, or not known. */
export const unlikeText = (share: number | null, phantoms: string): string =>
  share === null || share < RARE
    ? ""
    : `${percent(share)} of ${phantoms} are further from what the other features predict than 99 % of rows.`;

export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A share in whole per cent, as `_percent` of `drivers.py` writes it, too. */
export const percent = (share: number): string =>
  `${share > 0 && share < 0.005 ? "<\u00a01" : count(share * 100)}\u00a0%`;
