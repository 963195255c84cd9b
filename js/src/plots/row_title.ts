/** What the row of a line is called. */
import type { Curves } from "../wire/decode.ts";

export function rowTitle(curves: Curves, line: number): string {
  const position = curves.positions[line]!;
  const label = curves.rowLabels?.[line];
  return label === undefined ? `Row ${position}` : `${label} (row ${position})`;
}
