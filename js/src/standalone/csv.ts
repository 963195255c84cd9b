/** The figures of a page without a kernel as CSV, with the columns that `save` writes in Python. */
import { distances, likelihood } from "../plot/geometry/likelihood.ts";
import { slopes } from "../plot/geometry/transforms.ts";
import { sceneOf, standIns } from "../plot/scene.ts";
import type { RankedFeature } from "../state/ranking.ts";
import type { Reading } from "../state/reading.ts";
import { writerOf } from "../text/values.ts";
import type { Anchor, CurvesBody, Kind } from "../wire/protocol.ts";

type Cell = string | number | null;

/** Numbers of the page have 24 binary digits. */
const DIGITS = 9;
/** The columns of `Explanation.table`. */
const MEASURED = [
  "in_distribution_impact",
  "impact",
  "direction",
  "heterogeneity",
  "non_linearity",
  "missing_impact",
  "support",
];

const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Puts an apostrophe in front of a text that a spreadsheet would run as a formula; a number is none. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** The header comes first. Texts are written so that spreadsheets run none of them as a formula. */
export function csv(columns: readonly string[], rows: Iterable<readonly Cell[]>): Blob {
  const lines = [columns.map(quoted).join(",")];
  for (const row of rows) lines.push(row.map(written).join(","));
  return new Blob([`${lines.join("\n")}\n`], { type: "text/csv" });
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function written(cell: Cell): string {
  if (typeof cell === "string") return quoted(withoutFormula(cell));
  return cell === null || Number.isNaN(cell) ? "" : String(cell);
}

/** Rounds to the digits of a number of four bytes. */
const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

export const RANKING_COLUMNS = ["feature", ...MEASURED];

/** A row for each feature, in the order of the bars. */
export function* rankingRows(ranking: readonly RankedFeature[], reading: Reading): Iterable<Cell[]> {
  for (const { index, name } of ranking) {
    yield [name, ...MEASURED.map((metric) => rounded(reading.get(index, metric)))];
  }
}

const QUANTITIES: Record<Kind, string> = { ice: "prediction", "c-ice": "change", "d-ice": "slope" };

export const curvesColumns = (kind: Kind): string[] => [
  ...["row", "row_label", "feature", "value", "axis"],
  ...[QUANTITIES[kind], "likelihood", "is_observed"],
];

/** A row for each point of each curve, as `to_frame` returns them; a slope is at the right end of its interval. */
export function* curvesRows(curves: CurvesBody, kind: Kind, anchor: Anchor, decay: number): Iterable<Cell[]> {
  const { feature, grid, values, offset, n_grid: nGrid, n_lines: nLines } = curves;
  const first = kind === "d-ice" ? 1 : 0;
  const changes =
    kind === "ice" ? null : kind === "c-ice" ? sceneOf(curves, kind, anchor).values : slopes(values, grid);
  const weights = likelihood(curves.distances ?? distances(grid, standIns(curves), curves.likelihood_scale), decay);
  const write = writerOf(curves);
  const cellOf = (value: number): Cell =>
    curves.kind === "numeric" ? value : curves.kind === "boolean" ? truth(value === 1) : write(value);
  for (let line = 0; line < nLines; line++) {
    const row = curves.positions[line]!;
    const label = curves.row_labels?.[line] ?? row;
    for (let k = first; k < nGrid; k++) {
      const at = line * nGrid + k;
      // A single value is drawn as a dash, from one point to another.
      const quantity = changes?.[line * (changes.length / nLines) + k - first] ?? offset + values[at]!;
      const isObserved = truth(curves.observed[line] === grid[k]);
      yield [row, label, feature, cellOf(grid[k]!), grid[k]!, rounded(quantity), rounded(weights[at]!), isObserved];
    }
  }
}

/** As Python writes it. */
const truth = (value: boolean): string => (value ? "True" : "False");
