/** The figures of a page without a kernel as CSV, with the columns that `save` writes in Python. */
import { distances, likelihood } from "../geometry/likelihood.ts";
import { sceneOf, standIns } from "../plots/scene.ts";
import type { RankedFeature } from "../store/ranking.ts";
import { EFFECTS, type Reading } from "../store/reading.ts";
import type { Curves } from "../wire/decode.ts";
import type { Anchor } from "../wire/protocol.ts";
import { writerOf } from "../words/values.ts";

type Cell = string | number | null;

/** Numbers of the page have 24 binary digits. */
const DIGITS = 9;
/** Features whose values are numbers in the table, too. */
const PLAIN: ReadonlySet<string> = new Set(["numeric", "boolean"]);
/** Of one model: disagreement is of several. */
const MEASURED = [...[...EFFECTS].filter((metric) => metric !== "disagreement"), "support"];

/** Where a cell can begin: at the start of a text, and after separators of cells in some countries or programs. */
const FORMULA = /(?<![^;\t\r\n])(?=[=+\-@\t\r])/g;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Puts an apostrophe where a spreadsheet would begin to read a formula; a number is none. */
export const withoutFormula = (text: string): string => (NUMBER.test(text) ? text : text.replace(FORMULA, "'"));

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

export const RANKING_COLUMNS = ["feature", ...MEASURED, "scale", "n_grid", "kind"];

/** A row for each feature, in the order and unit of the bars. */
export function* rankingRows(ranking: readonly RankedFeature[], reading: Reading): Iterable<Cell[]> {
  for (const { index, name, kind } of ranking) {
    const { scale, n_grid } = reading.figures.header.features[index]!;
    yield [name, ...MEASURED.map((metric) => rounded(reading.get(index, metric))), scale, n_grid, kind];
  }
}

export const CURVES_COLUMNS = ["feature", "row", "value", "place", "prediction", "change", "likelihood"];

/** A row for each point of each line; a missing value of the feature comes last, and is empty. */
export function* curvesRows(curves: Curves, anchor: Anchor, decay: number): Iterable<Cell[]> {
  const { feature, grid, values, offset, missing, nGrid, nLines } = curves;
  const centred = sceneOf(curves, "c-ice", anchor);
  const weights = likelihood(curves.distances ?? distances(grid, standIns(curves), curves.likelihoodScale), decay);
  const write = writerOf(curves);
  const shown = PLAIN.has(curves.kind) ? (value: number): Cell => value : write;
  const width = centred.values.length / nLines; // a single value is drawn as a dash, from one point to another
  for (let line = 0; line < nLines; line++) {
    const row = curves.positions[line]!;
    for (let k = 0; k < nGrid; k++) {
      const at = line * nGrid + k;
      const change = rounded(centred.values[line * width + k]!);
      const prediction = rounded(offset + values[at]!);
      yield [feature, row, shown(grid[k]!), grid[k]!, prediction, change, rounded(weights[at]!)];
    }
    if (missing === null) continue;
    const weight = Number.isNaN(curves.observed[line]!) ? 1 : decay;
    const prediction = rounded(offset + missing.values[line]!);
    yield [feature, row, null, null, prediction, rounded(centred.missing!.values[line]!), weight];
  }
}
