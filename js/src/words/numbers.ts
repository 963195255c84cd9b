/** Numbers and counts as the reader meets them. */
import { format } from "d3-format";

const grouped = format(",");
const significant = format(",.4~r");

/** Axes that reach this far have their thousands separated; years and codes of four digits are read without. */
const SEPARATED_FROM = 10_000;

/** Whether thousands are separated on an axis of these values. */
export const separatesThousands = (axis: ArrayLike<number>): boolean =>
  Array.prototype.some.call(axis, (value: number) => Math.abs(value) >= SEPARATED_FROM);
/** An exponent as a reader would write it: 2.5e6, 2.5e−6. */
const typeset = (specifier: string): ((value: number) => string) => {
  const write = format(specifier);
  return (value) => write(value).replace("e+", "e").replace("e-", "e−");
};
const exponent = typeset(".3~e");

/** What is smaller than this part of what it is seen beside is the rounding of sums, not a figure. */
const ROUNDING = 1e-12;
const isRounding = (value: number, beside: number): boolean =>
  value === 0 || Math.abs(value) < ROUNDING * Math.abs(beside);

/**
 * A figure on its own: four significant digits at most, an exponent only where zeros would have to be counted. Beside
 * something very much larger it is 0.
 */
export function number(value: number, beside = 0): string {
  if (!Number.isFinite(value)) return "–";
  if (isRounding(value, beside)) return "0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return exponent(value);
  return Number.isInteger(value) ? grouped(value) : significant(value);
}

/** How values of an axis are written, each on its own. */
export const axisNumber = (axis: ArrayLike<number>): ((value: number) => string) =>
  separatesThousands(axis) ? number : (value) => number(value).replaceAll(",", "");

/** A change with its sign, also that of an increase. */
export const signed = (value: number, beside = 0): string => {
  const text = number(value, beside);
  return value > 0 && text !== "0" ? `+${text}` : text;
};

export const count = (value: number): string => (Number.isFinite(value) ? grouped(Math.round(value)) : "–");

/** One format for a column of figures, so that their points align: three significant digits of the largest. */
export function columnFormat(largest: number): (value: number) => string {
  if (!Number.isFinite(largest) || largest <= 0) return (value) => number(value);
  const decimals = 2 - Math.floor(Math.log10(largest));
  const hasExponents = decimals > 6 || decimals < -3;
  const write = hasExponents ? typeset(".2e") : format(`,.${Math.max(0, decimals)}f`);
  return (value) => {
    if (!Number.isFinite(value)) return "–";
    return hasExponents && isRounding(value, largest) ? "0" : write(value);
  };
}

/** The same for figures that are not negative: "< 0.001" in place of zeros only, and "0" where there is nothing. */
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
  const write = format(`.${Math.min(written, Math.max(0, COLUMN_DIGITS - whole))}f`);
  return texts.map((text) => (text === "" ? "" : write(Number(text))));
}

/** Whether a figure in this format rounds to 0. */
export const isNothing = (text: string): boolean => text.startsWith("<") || /^0(?![.\d])/.test(text);

/** Labels with more decimals than this are mostly zeros, and those from here on mostly digits that nobody counts. */
const MOST_DECIMALS = 5;
const LONG = 1e7;
/** What differs only from this digit on is written out. */
const MOST_DIGITS = 6;

/** How ticks up to `largest` that differ by `step` are written with exponents; null where they need none. */
export function tickExponents(largest: number, step: number): ((value: number) => string) | null {
  const lowest = Math.floor(Math.log10(step) + 1e-9);
  const digits = Math.floor(Math.log10(largest)) - lowest;
  if ((largest < LONG && lowest >= -MOST_DECIMALS) || !(digits <= MOST_DIGITS)) return null;
  const write = typeset(`.${Math.max(0, digits)}~e`);
  return (value) => (value === 0 ? "0" : write(value));
}

/** How many scales from its own value an observation's phantoms count half. Infinite without decay. */
export const halfWeight = (decay: number): number =>
  decay >= 1 ? Number.POSITIVE_INFINITY : Math.log(0.5) / Math.log(decay);

const oneDecimal = format(".1f");
const twoDecimals = format(".2f");

/** How much far values count, as a sentence about the open feature; `unordered` levels have no distance. */
export function reachText(decay: number, unordered: boolean): string {
  const half = halfWeight(decay);
  if (half === Number.POSITIVE_INFINITY) return `all ${unordered ? "levels" : "values"} count alike`;
  if (unordered) return `other levels count ${number(decay)}`;
  return `a value ${(half < 0.1 ? twoDecimals : oneDecimal)(half)} SD from the observed one counts half`;
}

/** How much of the weight of the phantoms the decay leaves; nothing where that is not known, or all of it. */
export function keptText(decay: number, support: number, estimated: boolean): string {
  if (decay >= 1 || !Number.isFinite(support)) return "";
  return `${estimated ? "≈ " : ""}${percent(support)} of the weight kept`;
}

export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A share of a whole, in whole per cent; a small one with a digit that says something. */
export const percent = (share: number): string =>
  `${share > 0 && share < 0.005 ? number(Number((share * 100).toPrecision(1))) : count(share * 100)}\u00a0%`;
