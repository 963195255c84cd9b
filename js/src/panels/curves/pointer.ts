/** Singling out rows: the line nearest to the pointer, or line after line with the arrow keys. */
import { least } from "d3-array";
import { count, number } from "../../format.ts";
import { cssColor } from "../../geometry/palette.ts";
import { nearestLine, type Polylines } from "../../geometry/pick.ts";
import { dotX, type Plot } from "../../marks/curves/plot.ts";
import { rowTitle } from "../../marks/curves/row.ts";
import type { TooltipRow } from "../../marks/tooltip.ts";
import type { ColorsBody } from "../../protocol.ts";
import { rampWriter } from "../../values.ts";
import type { View } from "../../view.ts";
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
    const found = isBeside(shown, x)
      ? nearestBeside(shown, store.hiddenLevels.peek(), x, y)
      : (nearestLine(linesToPick(shown), x, y, REACH * ratio)?.line ?? null);
    return found === null ? null : { shown, line: found, x, y };
  };

  const leave = (): void => {
    store.pointed.value = null;
  };

  const hover = (shown: Plot, line: number, x: number, y: number, spoken = false): void => {
    store.pointed.value = shown.scene.curves.positions[line]!;
    const box = frame.getBoundingClientRect();
    const { ratio } = shown.size;
    const anchor = new DOMRect(box.left + shown.left + x / ratio, box.top + y / ratio, 0, 0);
    view.tooltip.show(rowTitle(shown.scene.curves, line), rowsOf(shown, line, pointNear(shown, x)), anchor, spoken);
  };

  const rowsOf = (shown: Plot, line: number, point: number): TooltipRow[] => {
    const { scene, lines, palette, write } = shown;
    const { curves, missing } = scene;
    const rows: TooltipRow[] = [
      { label: curves.feature, value: write(curves.observed[line]!) },
      { label: "prediction", value: number(curves.predictions[line]! + curves.offset) },
    ];
    const what = { ice: "prediction", "c-ice": "change", "d-ice": "slope" }[scene.kind];
    if (point < scene.x.length) {
      const value = scene.values[line * scene.x.length + point]! + scene.base;
      rows.push({ label: `${what} at ${write(scene.x[point]!)}`, value: number(value) });
    } else if (missing !== null) {
      rows.push({ label: `${what} if missing`, value: number(missing.values[line]! + scene.base) });
    }
    const colors = loaded.peek()?.colors ?? null;
    if (colors !== null) {
      const value = colors.values[line]!;
      const swatch = cssColor(palette, lines.color[line]!);
      rows.push({ label: colors.scale.column, value: colorText(colors.scale, value), swatch });
    }
    return rows;
  };

  /** Under the axis the pointer reads a level: its whole name, how many observations have it, and their mean. */
  const readLevel = (event: MouseEvent): boolean => {
    const shown = plot.peek();
    if (shown === null || shown.levelLabels === null || store.picture.peek().state !== "ready") return false;
    const box = frame.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (y < shown.slopesEnd || x < shown.left || x > shown.right) return false;
    const { scene } = shown;
    const level = least(shown.xTicks.keys(), (at) => Math.abs(shown.xTicks[at]!.at - x));
    if (level === undefined) return false;
    leave();
    const observations = scene.curves.histogramCounts[level];
    const rows: TooltipRow[] = [];
    if (observations !== undefined) rows.push({ label: "observations", value: count(observations) });
    if (scene.onLevels) {
      const mean = scene.mean[level]!;
      const spread = number(scene.high[level]! - mean);
      rows.push({ label: "partial dependence", value: `${number(mean + scene.base)} ± ${spread}` });
    }
    const anchor = new DOMRect(box.left + shown.xTicks[level]!.at, box.top + shown.axis, 0, 0);
    view.tooltip.show(shown.xTicks[level]!.label, rows, anchor, false);
    return true;
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
      if (readLevel(event)) return;
      const found = pick(event);
      if (found === null) {
        leave();
        view.tooltip.hide();
      } else hover(found.shown, found.line, found.x, found.y);
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

/** What a value of the colouring column is called. */
function colorText(scale: ColorsBody, value: number): string {
  if (Number.isNaN(value)) return "missing";
  if (scale.kind === "category") return scale.levels[value] ?? "";
  return rampWriter(scale)(value);
}

/** The point of the scene nearest to a place in the canvas; one past the last for the strip beside the axis. */
function pointNear(shown: Plot, x: number): number {
  const { scene, size, left, x: scale } = shown;
  if (isBeside(shown, x)) return scene.x.length;
  const value = scale.invert(x / size.ratio + left);
  return least(scene.x.keys(), (point) => Math.abs(scene.x[point]! - value)) ?? 0;
}

function isBeside({ slot, size, left }: Plot, x: number): boolean {
  return slot !== null && x / size.ratio + left > slot.left - 7;
}

/** The row whose dot beside the axis is nearest, within reach. */
function nearestBeside(shown: Plot, hidden: ReadonlySet<number>, x: number, y: number): number | null {
  const { scene, size, left, lines } = shown;
  const away = (line: number) =>
    Math.hypot(
      dotX(shown, line, Number.NaN) - left - x / size.ratio,
      shown.y(scene.missing!.values[line]!) - y / size.ratio,
    );
  const nearest = least(
    shown.order.filter((line) => !hidden.has(lines.color[line]!)),
    away,
  );
  return nearest !== undefined && away(nearest) < REACH ? nearest : null;
}

/** Where the card of a line stands: at the row's own value, or half way along the line where that has no place. */
function placeOf(shown: Plot, line: number): [number, number] {
  const { scene, lines, left, size, y } = shown;
  const own = dotX(shown, line, scene.curves.observed[line]!);
  if (Number.isFinite(own)) return [(own - left) * size.ratio, y(scene.own[line]!) * size.ratio];
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
