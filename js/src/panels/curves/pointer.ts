/** Singling out rows: the line nearest to the pointer, or line after line with the arrow keys. */
import { least } from "d3-array";
import { number } from "../../format.ts";
import { cssColor } from "../../geometry/palette.ts";
import { nearestLine, type Polylines } from "../../geometry/pick.ts";
import type { TooltipRow } from "../../marks/tooltip.ts";
import type { View } from "../../view.ts";
import type { Plot } from "./plot.ts";
import type { Shown } from "./shown.ts";

/** How near to a line the pointer must be, in px. */
const REACH = 24;
const STEPS: Record<string, number> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

export function listenOn(frame: HTMLElement, view: View, { loaded, plot }: Shown): void {
  const { store, aborted } = view;
  const options = { signal: aborted };
  let pickable: { plot: Plot; hidden: ReadonlySet<number>; lines: Polylines } | null = null;

  /** The drawn lines, without those the legend hides. */
  const linesToPick = (shown: Plot): Polylines => {
    const hidden = store.hiddenLevels.peek();
    if (pickable?.plot !== shown || pickable.hidden !== hidden) {
      pickable = { plot: shown, hidden, lines: hidden.size === 0 ? shown.lines : withoutHidden(shown, hidden) };
    }
    return pickable.lines;
  };

  /** The line under the pointer, and where that is in px of the canvas. */
  const pick = (event: MouseEvent): { shown: Plot; line: number; x: number; y: number } | null => {
    const shown = plot.peek();
    if (shown === null || store.picture.peek().state !== "ready") return null;
    const box = frame.getBoundingClientRect();
    const { ratio } = shown.size;
    const x = (event.clientX - box.left - shown.left) * ratio;
    const y = (event.clientY - box.top) * ratio;
    const found = nearestLine(linesToPick(shown), x, y, REACH * ratio);
    return found === null ? null : { shown, line: found.line, x, y };
  };

  const leave = (): void => {
    store.hover.value = null;
  };

  const hover = (shown: Plot, line: number, x: number, y: number, spoken = false): void => {
    store.hover.value = line;
    const box = frame.getBoundingClientRect();
    const { ratio } = shown.size;
    const anchor = new DOMRect(box.left + shown.left + x / ratio, box.top + y / ratio, 0, 0);
    const points = Array.from(shown.lines.x.keys());
    const nearest = least(points, (point) => Math.abs(shown.lines.x[point]! - x)) ?? 0;
    view.tooltip.show(heading(shown, line), rowsOf(shown, line, nearest), anchor, spoken);
  };

  const rowsOf = (shown: Plot, line: number, point: number): TooltipRow[] => {
    const { scene, lines, palette } = shown;
    const { curves } = scene;
    const rows: TooltipRow[] = [
      { label: curves.feature, value: number(curves.observed[line]!) },
      { label: "prediction", value: number(curves.predictions[line]! + curves.offset) },
    ];
    if (point < scene.x.length) {
      const value = scene.values[line * lines.nPoints + point]! + scene.base;
      const what = { ice: "prediction", "c-ice": "change", "d-ice": "slope" }[scene.kind];
      rows.push({ label: `${what} at ${number(scene.x[point]!)}`, value: number(value) });
    }
    const colors = loaded.peek()?.colors ?? null;
    if (colors !== null) {
      const value = colors.values[line]!;
      const known = colors.scale.kind === "continuous" ? number(value) : colors.scale.levels[value];
      const swatch = cssColor(palette, lines.color[line]!);
      rows.push({ label: colors.scale.column, value: Number.isNaN(value) ? "missing" : (known ?? ""), swatch });
    }
    return rows;
  };

  const onKey = (event: KeyboardEvent): void => {
    const shown = plot.peek();
    if (shown === null) return;
    const { curves } = shown.scene;
    const current = store.hover.peek();
    const step = STEPS[event.key];
    if (step !== undefined) {
      const line = nextLine(shown, store.hiddenLevels.peek(), current, step);
      if (line !== undefined) {
        const [x, y] = placeOf(shown, line);
        hover(shown, line, x, y, true);
      }
    } else if ((event.key === "Enter" || event.key === " ") && current !== null) {
      store.select(curves.positions[current]!, event.shiftKey);
    } else if (event.key === "Escape") {
      leave();
      store.clearSelection();
    } else {
      return;
    }
    event.preventDefault();
  };

  frame.addEventListener(
    "pointermove",
    (event) => {
      const found = pick(event);
      if (found === null) leave();
      else hover(found.shown, found.line, found.x, found.y);
    },
    options,
  );
  frame.addEventListener("pointerleave", leave, options);
  frame.addEventListener("blur", leave, options);
  frame.addEventListener(
    "click",
    (event) => {
      const found = pick(event);
      if (found !== null) store.select(found.shown.scene.curves.positions[found.line]!, event.shiftKey);
    },
    options,
  );
  frame.addEventListener("keydown", onKey, options);
}

function heading({ scene: { curves } }: Plot, line: number): string {
  const position = curves.positions[line]!;
  const label = curves.rowLabels?.[line];
  return label === undefined ? `Row ${position}` : `${label} (row ${position})`;
}

/** Where the card of a line stands: at the row's own value, or half way along the line where that is missing. */
function placeOf({ scene, lines, left, size, x, y }: Plot, line: number): [number, number] {
  const observed = scene.curves.observed[line]!;
  if (!Number.isNaN(observed)) return [(x(observed) - left) * size.ratio, y(scene.own[line]!) * size.ratio];
  const half = Math.floor(lines.nPoints / 2);
  return [lines.x[half]!, lines.y[line * lines.nPoints + half]!];
}

/** Arrow keys go through the visible lines from the lowest prediction to the highest. */
function nextLine(shown: Plot, hidden: ReadonlySet<number>, current: number | null, step: number): number | undefined {
  const { predictions } = shown.scene.curves;
  const visible = Array.from(shown.order)
    .filter((line) => !hidden.has(shown.lines.color[line]!))
    .sort((a, b) => predictions[a]! - predictions[b]! || a - b);
  const start = step > 0 ? -1 : visible.length;
  const place = (current === null ? start : visible.indexOf(current)) + step;
  return visible[Math.min(Math.max(place, 0), visible.length - 1)];
}

function withoutHidden({ lines }: Plot, hidden: ReadonlySet<number>): Polylines {
  const { nLines, nPoints } = lines;
  const y = lines.y.slice();
  for (let line = 0; line < nLines; line++) {
    if (hidden.has(lines.color[line]!)) y.fill(Number.NaN, line * nPoints, (line + 1) * nPoints);
  }
  return { nLines, nPoints, x: lines.x, y };
}
