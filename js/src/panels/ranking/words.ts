/** A bar in numbers and in words. */
import { number, plural } from "../../format.ts";
import type { BarState } from "../../marks/bars.ts";
import { farOffText, RANK_LABELS, trendOf } from "../../metrics.ts";
import type { Convention, RankBy } from "../../protocol.ts";
import type { RankedFeature } from "../../ranking.ts";
import { isUnordered } from "../../values.ts";

/** What all bars have in common. */
export interface Scale {
  metric: RankBy;
  convention: Convention;
  /** All features, found or not. */
  of: number;
  /** The figure at which a bar is as long as there is room. */
  longest: number;
  write: (value: number) => string;
}

export function signOf({ kind, direction }: RankedFeature): BarState["sign"] {
  if (isUnordered(kind)) return "levels";
  return direction > 0 ? "up" : direction < 0 ? "down" : "none";
}

export function lengthsOf(ranked: RankedFeature, { longest, write }: Scale) {
  const share = (value: number) => (longest > 0 && Number.isFinite(value) ? value / longest : 0);
  const defined = Number.isFinite(ranked.value);
  const [low, high] = ranked.interval ?? [];
  return {
    pending: !ranked.known,
    fill: defined ? share(ranked.fill) : null,
    outline: defined && ranked.outline !== null ? share(ranked.outline) : null,
    interval: low === undefined || high === undefined ? null : ([share(low), share(high)] as [number, number]),
    figure: ranked.known ? `${write(ranked.value)}${ranked.farOff === null ? "" : "*"}` : "",
    sign: ranked.known || isUnordered(ranked.kind) ? signOf(ranked) : "none",
  } as const;
}

function trendWords(ranked: RankedFeature, convention: Convention): string {
  const sign = signOf(ranked);
  if (sign === "levels") return ", has levels without an order";
  return sign === "none" ? "" : `, ${trendOf(sign, convention)}`;
}

export function describe(ranked: RankedFeature, { metric, convention, of, write }: Scale): string {
  if (!ranked.known) return `${ranked.name}, not computed yet`;
  const figure = Number.isFinite(ranked.value) ? write(ranked.value) : "undefined";
  const between = ranked.interval === null ? "" : ` (${ranked.interval.map(write).join(" to ")})`;
  const change = Number.isFinite(ranked.meanChange) ? `, ${number(ranked.meanChange)} per change of category` : "";
  const trend = trendWords(ranked, convention);
  const caution = ranked.farOff === null ? "" : `. ${farOffText(convention, ranked.farOff)}`;
  // What stands in the bar comes first, as it stands there: whoever speaks to the page says what they read.
  return `${ranked.name}, ${figure} ${RANK_LABELS[metric]}${between}${trend}${change}, rank ${ranked.rank} of ${plural(of, "feature")}${caution}`;
}

/** The longest of all that is drawn, so that no bar outgrows its room. */
export function longestOf(ranking: readonly RankedFeature[]): number {
  let longest = 0;
  for (const { value, fill, outline, interval } of ranking) {
    for (const reach of [value, fill, outline, interval?.[1]]) {
      if (reach != null && reach > longest) longest = reach;
    }
  }
  return longest;
}
