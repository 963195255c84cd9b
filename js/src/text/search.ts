/** Names that contain what somebody typed, whatever the case and the accents of either. */

/** By way of capitals, which write ß as SS. */
export const folded = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase();

/** Whether each name contains the query; true for all if it is empty. */
export function matches(foldedNames: readonly string[], query: string): boolean[] {
  const wanted = folded(query.trim());
  return foldedNames.map((name) => name.includes(wanted));
}
