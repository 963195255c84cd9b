/** How selected rows are drawn: few as strokes, many by the raster. */

import type { Theme } from "../view/theme.ts";
import { pickPalette } from "./geometry/palette.ts";
import type { Palette } from "./geometry/raster.ts";
import type { Plot } from "./plot.ts";

/** The curves of a layer: all, which are dimmed if rows are selected, or the selected ones over them. */
export type Which = "all" | "selected";

/** More rows than this are drawn by the raster. */
const MOST_STROKES = 20;

export const layerClass = (which: Which): string => `ice-layer ice-lines-${which}`;

/** The selected rows, where there are too many for strokes. */
export function manySelected(selection: readonly number[]): ReadonlySet<number> | null {
  return selection.length > MOST_STROKES ? new Set(selection) : null;
}

/** The selected rows, where there are few enough for strokes. */
export const fewSelected = (selection: readonly number[]): readonly number[] =>
  selection.length > MOST_STROKES ? [] : selection;

/** The colours of selected lines: those of the legend, where there is one. */
export const selectedPalette = (
  { palette }: Pick<Plot, "palette">,
  isColored: boolean,
  { dark }: Pick<Theme, "dark">,
): Palette => (isColored ? palette : pickPalette(dark ? "dark" : "light"));

/** The lines of some rows, or of all of them, in the plot's order. */
export function linesOf(
  { order, scene }: Pick<Plot, "order" | "scene">,
  rows: ReadonlySet<number> | null,
): Uint32Array {
  if (rows === null) return order;
  const { positions } = scene.curves;
  return order.filter((line) => rows.has(positions[line]!));
}
