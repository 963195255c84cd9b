/** The crosshair of the what-if: it follows the curve of the only selected row, wherever the pointer is. */
import { computed } from "@preact/signals-core";
import type { Drawing } from "../../plot/drawing.ts";
import { weightText } from "../../plot/fade.ts";
import { nearestIndex } from "../../plot/geometry/transforms.ts";
import { isInSlot, type Point } from "../../plot/gestures.ts";
import type { Layout } from "../../plot/layout.ts";
import { MarkLayer } from "../../plot/plot.tsx";
import type { Before } from "../../plot/pointer.ts";
import { number, signed } from "../../text/numbers.ts";
import { placeWriterOf } from "../../text/values.ts";
import { useView } from "../../view/use_view.tsx";
import type { View } from "../../view/view.ts";

/** Steps of a key from one end of a long grid to the other. */
const KEY_STEPS = 100;
const LONG_STEP = 10;
/** Distance of the text from the rule. */
const GAP = 10;

interface Aim {
  layout: Layout;
  line: number;
  /** The place on the grid; one past the last for a missing value. */
  at: number;
}

export class Crosshair implements Before {
  readonly #row = computed(() => {
    const [layout, row] = [this.drawing.layout.value, this.view.store.whatIfRow.value];
    const line = layout === null || row === null ? -1 : layout.scene.curves.positions.indexOf(row);
    return layout === null || line === -1 ? null : { layout, line };
  });
  readonly aim = computed((): Aim | null => {
    const [row, place] = [this.#row.value, this.view.store.crosshair.value];
    if (row === null || place === null) return null;
    const { feature, grid, missing } = row.layout.scene.curves;
    if (place.feature !== feature) return null;
    if (!Number.isNaN(place.value)) return { ...row, at: nearestIndex(grid, place.value) };
    return missing === null ? null : { ...row, at: grid.length };
  });

  constructor(
    private readonly view: Pick<View, "store" | "tooltip">,
    private readonly drawing: Drawing,
  ) {}

  #moveTo({ scene }: Layout, place: number, stays: boolean): void {
    const { feature, grid } = scene.curves;
    const { store } = this.view;
    store.pointed.value = null;
    store.crosshair.value = { feature, value: grid[place] ?? Number.NaN, stays };
  }

  /** Follows the pointer; false where no single row is selected and drawn. */
  follow({ x }: Point): boolean {
    const layout = this.#row.peek()?.layout;
    if (layout === undefined) return false;
    const { store, tooltip } = this.view;
    store.pointed.value = null;
    tooltip.hide();
    if (store.picture.peek().state !== "ready") return true;
    const { grid } = layout.scene.curves;
    this.#moveTo(layout, isInSlot(layout, x) ? grid.length : nearestIndex(grid, layout.x.invert(x)), false);
    return true;
  }

  /** Moves along the curve with a key; false where the key or the selection does not do so. */
  press({ key, shiftKey }: KeyboardEvent): boolean {
    const row = this.#row.peek();
    if (row === null || shiftKey) return false;
    const { grid, missing, observed } = row.layout.scene.curves;
    const last = missing === null ? grid.length - 1 : grid.length;
    const step = Math.max(1, Math.ceil(grid.length / KEY_STEPS));
    const value = observed[row.line]!;
    const place = this.aim.peek()?.at ?? (Number.isNaN(value) ? last : nearestIndex(grid, value));
    const next = {
      ArrowLeft: place - step,
      ArrowRight: place < grid.length - 1 ? Math.min(place + step, grid.length - 1) : last,
      PageDown: place - LONG_STEP * step,
      PageUp: Math.min(place + LONG_STEP * step, grid.length - 1),
      Home: 0,
      End: grid.length - 1,
    }[key];
    if (next === undefined) return false;
    this.#moveTo(row.layout, Math.max(0, next), true);
    return true;
  }

  leave(): void {
    const { crosshair } = this.view.store;
    if (crosshair.peek()?.stays === false) crosshair.value = null;
  }
}

/** A rule at the value, a dot on the curve, its distance from the row's prediction, and a sentence. */
export function CrosshairMarks({ crosshair }: { crosshair: Crosshair }) {
  const { store } = useView();
  const aim = crosshair.aim.value;
  const place = aim && markPlace(aim);
  // A text that follows the pointer is not announced.
  const live = store.crosshair.value?.stays ? "polite" : "off";
  if (aim === null || place === null) return <output class="ice-what-if" data-test="what-if" aria-live={live} hidden />;
  const { size, left, right, top, bottom, axis } = aim.layout;
  const { x, y, predicted, isMissing } = place;
  const isRight = x > (left + right) / 2;
  // Away from the curve.
  const isBelow = y !== null && y < (top + axis) / 2;
  const style = {
    left: isRight ? "auto" : `${x + GAP}px`,
    right: isRight ? `${size.width - x + GAP}px` : "auto",
    top: isBelow ? "auto" : `${top + 4}px`,
    bottom: isBelow ? `${size.height - bottom}px` : "auto",
  };
  return (
    <>
      <MarkLayer size={size}>
        <g class="ice-crosshair" data-test="crosshair">
          <line class="ice-crosshair-rule" x1={x} x2={x} y1={top} y2={axis} />
          {predicted !== null && (
            <line class="ice-crosshair-own" x1={left} x2={isMissing ? x : right} y1={predicted} y2={predicted} />
          )}
          {predicted !== null && y !== null && (
            <line class="ice-crosshair-change" x1={x} x2={x} y1={predicted} y2={y} />
          )}
          {y !== null && <circle cx={x} cy={y} r={5} />}
        </g>
      </MarkLayer>
      <output class="ice-what-if" data-test="what-if" aria-live={live} style={style}>
        {describe(aim, store.decay.value)}
      </output>
    </>
  );
}

/** Where the marks are, in px; heights beyond the axis are null. */
function markPlace({ layout, line, at }: Aim) {
  const { scene, x: scale, y: height, top, bottom, slot } = layout;
  const { grid } = scene.curves;
  const isMissing = at >= grid.length;
  if (isMissing && (slot === null || scene.missing === null)) return null;
  const point = isMissing ? 0 : nearestIndex(scene.x, grid[at]!);
  const visible = (px: number) => (Number.isFinite(px) && px >= top - 1 && px <= bottom + 1 ? px : null);
  return {
    isMissing,
    x: isMissing ? slot!.at : scale(grid[at]!),
    y: visible(height(isMissing ? scene.missing!.values[line]! : scene.values[line * scene.x.length + point]!)),
    predicted: scene.kind === "d-ice" ? null : visible(height(scene.own[line]!)),
  };
}

function describe({ layout: { scene }, line, at }: Aim, decay: number): string {
  const { curves } = scene;
  const { feature, grid, values, offset, predictions, missing, prediction_range: predictionRange } = curves;
  const range = predictionRange[1] - predictionRange[0];
  const value = at < grid.length ? placeWriterOf(curves)(grid[at]!) : "missing";
  const predicted = at < grid.length ? values[line * grid.length + at]! : missing!.values[line]!;
  const change = signed(predicted - predictions[line]!, range);
  const moved = change === "0" ? "no change" : change;
  const weight = at < grid.length ? weightText(curves, line, at, decay) : "";
  const counts = weight === "" ? "" : `, weight ${weight}`;
  return `${feature} ${value} → prediction ${number(predicted + offset, range)}, ${moved}${counts}`;
}
