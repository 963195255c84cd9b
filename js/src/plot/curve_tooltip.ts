/** What the tooltip of a curve shows: the row, its prediction, and the point of the curve under the pointer. */

import type { Store } from "../state/store.ts";
import { explanation } from "../text/glossary.ts";
import { number, unlikeText } from "../text/numbers.ts";
import { placeWriterOf, rampWriter } from "../text/values.ts";
import type { TooltipRow } from "../ui/tooltip.ts";
import type { ColorScale, CurvesBody } from "../wire/protocol.ts";
import type { Drawing } from "./drawing.ts";
import { weightText } from "./fade.ts";
import { cssColor } from "./geometry/palette.ts";
import type { Layout } from "./layout.ts";
import { linesOfRow, linesPerModel } from "./models.ts";
import type { Scene } from "./scene.ts";

/** The rows of the tooltip, and a note on the likelihood where that is one of them. */
export function curveTooltip(
  store: Store,
  drawing: Drawing,
  layout: Layout,
  line: number,
  point: number,
): { rows: TooltipRow[]; note: string | null } {
  const { kind, curves, models } = layout.scene;
  const colors = drawing.colors.peek();
  const [lowest, highest] = curves.prediction_range;
  const prediction = number(curves.predictions[line]! + curves.offset, highest - lowest);
  const rows: TooltipRow[] = [
    { label: `observed ${curves.feature}`, value: layout.write(curves.observed[line]!) },
    ...(models === null ? [{ label: "prediction there", value: prediction }] : []),
  ];
  const observed = drawing.target.peek()?.[line % linesPerModel(layout.scene)];
  if (observed !== undefined) rows.push({ label: store.targetName.peek(), value: number(observed) });
  const name = { ice: "", "c-ice": "change ", "d-ice": "slope " }[kind];
  rows.push(...(models === null ? heightRow(layout.scene, line, point, name) : modelRows(store, layout, line, point)));
  const weight = weightAt(layout.scene, line, point, store.decay.peek());
  if (weight !== "") rows.push({ label: `weight of ${placeWriterOf(curves)(layout.scene.x[point]!)}`, value: weight });
  if (colors !== null && models === null) {
    const value = colorText(colors.scale, colors.values[line]!);
    rows.push({ label: colors.scale.column, value, swatch: cssColor(layout.palette, layout.lines.color[line]!) });
  }
  const share = drawing.unlike.peek() === null ? null : store.unlikeShareOf(curves.positions[line]!);
  const unlike = unlikeText(share, "this curve's phantom observations");
  const notes = [unlike, weight === "" ? "" : explanation("likelihood").text];
  return { rows, note: notes.filter((text) => text !== "").join("\n") || null };
}

/** The height of a curve at a point of the scene, or beside the axis. */
function heightRow(scene: Scene, line: number, point: number, name: string): TooltipRow[] {
  const { kind, curves, x, values, base, missing, extent } = scene;
  const [low, high] = kind === "d-ice" ? extent : curves.prediction_range;
  if (point < x.length) {
    const value = number(values[line * x.length + point]! + base, high - low);
    return [{ label: `${name}${placeText(scene, point)}`, value }];
  }
  if (missing === null) return [];
  return [{ label: `${name}if missing`, value: number(missing.values[line]! + base, high - low) }];
}

/** The heights of the curves of a row by each model that is shown, in the order of their colours. */
function modelRows(store: Store, layout: Layout, line: number, point: number): TooltipRow[] {
  const { scene, lines, palette } = layout;
  const all = linesOfRow(layout, scene.curves.positions[line]!, store.hiddenLevels.peek());
  const inOrder = all.sort((a, b) => lines.color[a]! - lines.color[b]!);
  return inOrder.flatMap((each) => {
    const model = lines.color[each]!;
    const name = store.models.peek()[model] ?? "";
    return heightRow(scene, each, point, `${name} `).map((row) => ({ ...row, swatch: cssColor(palette, model) }));
  });
}

/** The weight of the value at which a curve is read; a slope has no single value. */
const weightAt = ({ kind, curves, x }: Scene, line: number, point: number, decay: number): string =>
  kind === "d-ice" || point >= Math.min(x.length, curves.n_grid) ? "" : weightText(curves, line, point, decay);

/** A value of the colouring column as text. */
function colorText(scale: ColorScale, value: number): string {
  if (Number.isNaN(value)) return "missing";
  if (scale.kind === "category") return scale.levels[value] ?? "";
  return rampWriter(scale)(value);
}

/** The feature value at a point of a curve; a slope has an interval. */
function placeText({ kind, curves, x }: Scene, point: number): string {
  const write = placeWriterOf(curves);
  if (kind !== "d-ice") return `at ${write(x[point]!)}`;
  const first = point - (point % 2);
  return `from ${write(x[first]!)} to ${write(x[first + 1]!)}`;
}

/** What the row of a line is called. */
export function rowTitle(curves: CurvesBody, line: number): string {
  const position = curves.positions[line]!;
  const label = curves.row_labels?.[line];
  return label === undefined ? `Row ${position}` : `${label} (row ${position})`;
}
