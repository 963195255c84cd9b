/** The pointer over a compared plot: it marks a row in all plots, a click selects the row, a drag selects a range. */

import { nearestLine } from "../../plot/geometry/pick.ts";
import { type Brush, brushOver } from "../../plot/gestures/brush.ts";
import { gesturesOn, OWN_DRAG, placeIn } from "../../plot/gestures/gestures.ts";
import { rowTitle } from "../../plot/row_title.ts";
import { pickable, pointNear, type SmallPlot } from "../../plot/small_plot.ts";
import { number } from "../../text/numbers.ts";
import { writerOf } from "../../text/values.ts";
import { listen } from "../../ui/lifetime.ts";
import type { TooltipRow } from "../../ui/tooltip.ts";
import type { View } from "../../view/view.ts";
import type { Compared } from "./compared.ts";

/** How near to a curve the pointer must be, in px. */
const REACH = 16;

export class ComparedPointer {
  readonly #brush: Brush<SmallPlot>;

  constructor(
    private readonly view: View,
    private readonly compared: Compared,
  ) {
    const { body, plot } = compared;
    this.#brush = brushOver(body, view, plot, (line) => compared.drawn.has(line));
    body.append(this.#brush.layer);
    const gestures = gesturesOn(body, view, plot, ({ plot: pressed, at, event }) =>
      this.#brush.begin(pressed, at, event),
    );
    listen(body, view.aborted, {
      pointermove: (event) => {
        if (!gestures.busy && (event.target as Element).closest(`[${OWN_DRAG}]`) === null) this.#follow(event);
      },
      pointerleave: () => this.#leave(),
      click: (event) => {
        if (!gestures.dragged) this.#select(event);
      },
      keydown: (event) => this.#press(event),
    });
  }

  #lineAt(event: MouseEvent): number | null {
    const { body, plot, order } = this.compared;
    const shown = plot.peek();
    if (shown === null) return null;
    const { ratio } = shown.size;
    const { x, y } = placeIn(body, event);
    const lines = pickable(shown.lines, order);
    return nearestLine(lines, (x - shown.left) * ratio, y * ratio, REACH * ratio)?.line ?? null;
  }

  #follow(event: MouseEvent): void {
    const { body, plot } = this.compared;
    const [shown, line] = [plot.peek(), this.#lineAt(event)];
    if (shown === null || line === null) {
      this.#leave();
      return;
    }
    const { store, tooltip } = this.view;
    const { curves } = shown.scene;
    store.pointed.value = curves.positions[line]!;
    const rows = rowsOf(shown, line, pointNear(shown, placeIn(body, event).x), store.outputName.peek());
    tooltip.show(rowTitle(curves, line), rows, new DOMRect(event.clientX, event.clientY, 0, 0), false);
  }

  #leave(): void {
    this.view.store.pointed.value = null;
    this.view.tooltip.hide();
  }

  #select(event: MouseEvent): void {
    const { store } = this.view;
    this.#brush.remove();
    // The row that is marked; a finger marks none before it clicks.
    const { plot } = this.compared;
    const row = store.pointed.peek() ?? plot.peek()?.scene.curves.positions[this.#lineAt(event) ?? -1];
    if (row !== undefined) store.select(row, event.shiftKey);
  }

  #press(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    if (!this.#brush.remove()) this.view.store.clearSelection();
    this.compared.body.focus({ preventScroll: true });
    event.preventDefault();
  }
}

function rowsOf({ scene }: SmallPlot, line: number, point: number, output: string): TooltipRow[] {
  const { curves, x, values, base } = scene;
  const write = writerOf(curves);
  const [lowest, highest] = curves.prediction_range;
  return [
    { label: curves.feature, value: write(curves.observed[line]!) },
    { label: output, value: number(curves.predictions[line]! + curves.offset, highest - lowest) },
    { label: `drawn at ${write(x[point]!)}`, value: number(values[line * x.length + point]! + base) },
  ];
}
