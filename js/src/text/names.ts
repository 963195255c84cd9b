/** Display names of the options of `explain`, and the positions at which similar names differ. */
import type { RowsBody } from "../wire/protocol.ts";

const RESPONSES: Record<string, string> = {
  predict_proba: "probability",
  decision_function: "score (decision function)",
  predict: "prediction",
  log_odds: "log-odds",
};

/** A response as a reader meets it; one that is not known here keeps its name. */
export function responseName(response: string): string {
  return RESPONSES[response] ?? response;
}

/** A beginning that is shared and shorter than this is left alone: what follows it is mostly seen. */
const LEAST_SHARED = 12;
/** The largest distance from the first difference back to the beginning of a word, where a name is split. */
const LONGEST_WORD = 8;
const IN_A_WORD = /[\p{L}\p{N}]/u;

/** Where what names have in common with others ends; those that soon differ are not listed. */
export function partings(names: readonly string[]): ReadonlyMap<string, number> {
  const sorted = [...new Set(names)].sort();
  const found = new Map<string, number>();
  for (const [place, name] of sorted.entries()) {
    const shared = Math.max(sharedWith(name, sorted[place - 1]), sharedWith(name, sorted[place + 1]));
    let at = shared;
    while (at > shared - LONGEST_WORD && isInWord(name, at)) at--;
    if (isInWord(name, at)) at = shared;
    if (at >= LEAST_SHARED) found.set(name, at);
  }
  return found;
}

const isInWord = (name: string, at: number): boolean =>
  IN_A_WORD.test(name[at - 1] ?? "") && IN_A_WORD.test(name[at] ?? "");

function sharedWith(name: string, other: string | undefined): number {
  let at = 0;
  while (at < name.length && name[at] === other?.[at]) at++;
  return at;
}

/** Rows whose observed target has the name that y has in Python, where it has one. */
export function withTargetName(rows: RowsBody, name: string): RowsBody {
  if (name === "") return rows;
  const columns = rows.columns.map((column, at) => (at < rows.n_outcomes && column === "y" ? name : column));
  return { ...rows, columns };
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Units at the end of names: flipper_length_mm, Area (km²). */
const UNIT =
  /[_([](mm|cm|km²?|m²|mg|g|kg|ms|kWh|kW|MW|hPa|ml|mph|km\/h|m\/s|USD|EUR|minutes|hours|days|years|°C|°F)[)\]]?$/;

/** The unit in the name of a feature; "" without one. */
export const unitIn = (name: string): string => UNIT.exec(name)?.[1] ?? "";
