/** What the row of a line is called. */
import type { CurvesBody } from "../wire/protocol.ts";

export function rowTitle(curves: CurvesBody, line: number): string {
  const position = curves.positions[line]!;
  const label = curves.row_labels?.[line];
  return label === undefined ? `Row ${position}` : `${label} (row ${position})`;
}
