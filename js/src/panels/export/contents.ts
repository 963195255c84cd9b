/** The approximate size of a file before it is made, in bytes or rows. */
import { loadedOf, type Store } from "../../store/store.ts";
import type { What } from "../../wire/protocol.ts";
import { count, plural } from "../../words/numbers.ts";

/** Bytes of a figure of the metrics, of a point of a curve in CSV besides the name, and in JSON; provenance in JSON. */
const OF_FIGURE = 12;
const OF_POINT = 50;
const OF_POINT_IN_JSON = 30;
const OF_PROVENANCE = 1500;
/** Of `src/ice_explorer/standalone/recording.py`. */
const MOST_VALUES_OF_PAGE = 2_000_000;
const FEWEST_LINES_OF_PAGE = 30;
/** Of `src/ice_explorer/saved/write.py`. */
const MOST_ROWS_OF_RESULT = 1000;

/** Describes the content of a file; empty for formats without an estimate. */
export function contentsText(store: Store, format: string, what: What): string {
  const header = store.figures.peek()?.header;
  if (header === undefined) return "";
  const { features, metrics, n_observations } = header;
  const wanted = what === "panel" ? features.filter(({ name }) => name === store.feature.peek()) : features;
  const nLines = Math.min(store.maxLines.peek(), n_observations);
  const ofMetrics = features.length * (metrics.length + 3) * OF_FIGURE;
  if (format === "csv" && what === "view") return `${sizeText(ofMetrics)}, ${plural(features.length, "row")}`;
  if (format === "html") return rowsText(nRowsOfPage(store));
  if (format === "ice") return rowsText(Math.min(MOST_ROWS_OF_RESULT, n_observations));
  if (format === "csv") {
    const rows = wanted.map(({ name, n_grid }) => ({ n: nLines * n_grid, bytes: name.length + OF_POINT }));
    const bytes = rows.reduce((sum, row) => sum + row.n * row.bytes, 0);
    return `${sizeText(bytes)}, about ${plural(Number(rows.reduce((sum, { n }) => sum + n, 0).toPrecision(2)), "row")}`;
  }
  const points = wanted.reduce((sum, { n_grid }) => sum + nLines * n_grid, 0);
  return format === "json" ? sizeText(OF_PROVENANCE + ofMetrics + points * OF_POINT_IN_JSON) : "";
}

const rowsText = (n: number): string =>
  `Contains ${plural(n, "row")} of your data. Share it only with people who may see them.`;

function nRowsOfPage(store: Store): number {
  const { features, n_observations } = store.figures.peek()!.header;
  const nValues = features.reduce((sum, { n_grid }) => sum + n_grid, 0);
  const fitting = Math.max(FEWEST_LINES_OF_PAGE, Math.floor(MOST_VALUES_OF_PAGE / nValues));
  const drawn = loadedOf(store.picture.peek())?.curves.n_lines;
  // The page has the rows that are drawn now, unless these are too many.
  return drawn !== undefined && store.maxLines.peek() <= fitting ? drawn : Math.min(fitting, n_observations);
}

const UNITS = ["bytes", "kB", "MB", "GB"];

function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `About ${count(Number((bytes / 1000 ** power).toPrecision(2)))} ${UNITS[power]}`;
}
