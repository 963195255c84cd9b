/** Numbers and counts as the reader meets them. */
import { format } from "d3-format";

const grouped = format(",");
const significant = format(",.4~r");
const exponent = format(".3~e");

/** A figure on its own: four significant digits at most, an exponent only where zeros would have to be counted. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return exponent(value);
  return Number.isInteger(value) ? grouped(value) : significant(value);
}

export const count = (value: number): string => (Number.isFinite(value) ? grouped(Math.round(value)) : "–");

/** One format for a column of figures, so that their points align: three significant digits of the largest. */
export function columnFormat(largest: number): (value: number) => string {
  if (!Number.isFinite(largest) || largest <= 0) return number;
  const decimals = 2 - Math.floor(Math.log10(largest));
  const write = decimals > 6 || decimals < -3 ? format(".2e") : format(`,.${Math.max(0, decimals)}f`);
  return (value) => (Number.isFinite(value) ? write(value) : "–");
}

/** How many scales from its own value an observation's phantoms count half. Infinite without decay. */
export const halfWeight = (decay: number): number =>
  decay >= 1 ? Number.POSITIVE_INFINITY : Math.log(0.5) / Math.log(decay);

const oneDecimal = format(".1f");
const twoDecimals = format(".2f");

/** How far the decay reaches: along an axis, or where there is none, what another level counts. */
function reachText(decay: number, unordered: boolean): string {
  const half = halfWeight(decay);
  if (half === Number.POSITIVE_INFINITY) return "no decay";
  if (unordered) return `other levels count ${number(decay)}`;
  return `half weight at ${(half < 0.1 ? twoDecimals : oneDecimal)(half)} σ`;
}

export function decayReadout(
  decay: number,
  effectiveN: number,
  nObservations: number,
  estimated: boolean,
  unordered = false,
): string {
  const about = estimated ? "≈ " : "";
  const reach = reachText(decay, unordered);
  if (!Number.isFinite(effectiveN)) return reach;
  return `${reach} · effective n ${about}${count(effectiveN)} of ${count(nObservations)}`;
}

export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A share of a whole, in whole per cent. */
export const percent = (share: number): string => `${count(share * 100)}\u00a0%`;
