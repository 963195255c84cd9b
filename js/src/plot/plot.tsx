/** The plot of a feature at every size: axes, histogram, curves, their mean, and the rows that are selected or pointed at. */
import { useComputed } from "@preact/signals";
import type { ComponentChildren, Ref, VNode } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Hidden } from "../state/filters.ts";
import { hasLevels } from "../text/values.ts";
import { fitPixels, type LayerSize } from "../ui/layers.ts";
import { useView } from "../view/use_view.tsx";
import type { UnlikeBody } from "../wire/protocol.ts";
import type { Drawing } from "./drawing.ts";
import { groupMeans } from "./geometry/crossing.ts";
import { cssColor, pickPalette } from "./geometry/palette.ts";
import { lineStrength } from "./geometry/raster.ts";
import { useKept } from "./hooks.ts";
import { dotX, type Layout, type Slot } from "./layout.ts";
import { fewSelected, LinePainter, manySelected } from "./lines.ts";
import { BottomAxis, Label, LeftAxis } from "./marks/axes.tsx";
import { drawDots } from "./marks/dots.ts";
import { bar, histogramPath } from "./marks/histogram.ts";
import { bandPath, Fading, Haloed, linePath } from "./marks/paths.tsx";
import { scaleLinear } from "./marks/scale.ts";
import { linesOfRow, linesPerModel } from "./models.ts";

/** More dots than this are drawn smaller and lighter. */
const MANY_DOTS = 200;
/** While the anchor moves, no more dots than this are drawn. */
const MOST_MOVING_DOTS = 1000;
/** The share of a level's room that its bar of the data leaves free. */
const LEVEL_GAP = 0.36;
/** Half the width of the bar of missing values, as a share of their strip, and the room of their label, in px. */
const SLOT_BAR = 0.29;
const SLOT_LABEL = 54;
/** A mean with more points than this has a thin rim: a wide one would cover close steps. */
const MOST_BOLD = 80;
const NO_SLOPE = "A constant feature has no slope.";

/** The `data-test` names of layers and marks. */
const NAMES = {
  all: "curves-canvas",
  picked: "selected-canvas",
  mean: "partial-dependence",
  selected: "selected-line",
  hovered: "hovered-line",
};

interface Props {
  drawing: Drawing;
}

/** `under` is drawn under the curves, `over` between them and their mean, and `children` over all. */
export function Plot({ drawing, under, over, children }: Props & Partial<Record<"under" | "over", VNode>> & Children) {
  const isLarge = drawing.plotSize === "large";
  useLayoutEffect(() => drawing.pace.share(drawing.isNear), []);
  return (
    <>
      <Axes drawing={drawing} />
      {under}
      <Lines drawing={drawing} which="all" />
      {isLarge && <Dots drawing={drawing} which="all" />}
      <Lines drawing={drawing} which="picked" />
      {isLarge && <Dots drawing={drawing} which="picked" />}
      {over}
      <Unlike drawing={drawing} />
      <Marks drawing={drawing} />
      {children}
    </>
  );
}

interface Children {
  children?: ComponentChildren;
}

/** A layer of marks, which screen readers skip. */
export const MarkLayer = ({ size, name, children }: { size: LayerSize; name?: string } & Children) => (
  <svg
    class="ice-layer"
    aria-hidden="true"
    data-test={name}
    viewBox={`0 0 ${size.width} ${size.height}`}
    width={size.width}
    height={size.height}
  >
    {children}
  </svg>
);

/** A layer of pixels. */
export const PixelLayer = ({
  node,
  names = "",
  test,
}: {
  node: Ref<HTMLCanvasElement>;
  names?: string;
  test?: string;
}) => <canvas ref={node} class={`ice-layer ${names}`.trimEnd()} data-test={test} aria-hidden="true" />;

/** Marks that end at the edges of a part of the plot. */
export const Clip = ({ x, y, width, height, children }: Record<"x" | "y" | "width" | "height", number> & Children) => (
  <svg class="ice-clip" {...{ x, y, width, height }} viewBox={`${x} ${y} ${width} ${height}`} aria-hidden="true">
    {children}
  </svg>
);

/** Marks that end where the curves do: slopes may leave the plot, and what is under them stays readable. */
export const Clipped = ({ layout: { scene, size, bottom }, children }: { layout: Layout } & Children) => (
  <Clip x={0} y={0} width={size.width} height={scene.kind === "d-ice" ? bottom : size.height}>
    {children}
  </Clip>
);

function Axes({ drawing }: Props) {
  const { font } = useView().theme.value;
  const layout = drawing.layout.value;
  if (layout === null) return null;
  const { scene, size, left, right, outer, top, bottom, axis, slot, x, y, yTicks } = layout;
  const { xTicks: ticks, levelLabels: labels } = layout;
  const width = slot === null ? size.width : outer - SLOT_LABEL;
  const hasAnchor = scene.anchoredAt !== null && drawing.plotSize === "large";
  return (
    <MarkLayer size={size}>
      <LeftAxis ticks={yTicks} left={left} right={right} />
      <DataStrip layout={layout} />
      <BottomAxis {...{ ticks, labels, left, right, width, top: axis, font }} />
      {slot !== null && <MissingAxis layout={layout} slot={slot} />}
      {scene.kind !== "ice" && y(0) >= top && y(0) <= bottom && (
        <line class="ice-zero" x1={left} x2={outer} y1={y(0)} y2={y(0)} />
      )}
      {hasAnchor && (
        <line
          class="ice-anchor-rule"
          x1={x(scene.anchoredAt!)}
          x2={x(scene.anchoredAt!)}
          y1={top}
          y2={bottom}
          data-test="anchor-rule"
          data-at={scene.anchoredAt}
        />
      )}
    </MarkLayer>
  );
}

/** Histogram of the data above the axis, and the number of missing values beside it, on one scale. */
function DataStrip({ layout: { scene, x, axis, bottom, slot, byRank } }: { layout: Layout }) {
  const { histogram_edges: edges, missing, kind } = scene.curves;
  const height = axis - bottom - 4;
  const half = slot === null ? 0 : SLOT_BAR * (slot.right - slot.left);
  // By rank, bins are of any width, so that areas are the numbers of rows.
  const perWidth = (n: number, width: number): number => (byRank ? n / Math.max(1, width) : n);
  const counts = scene.curves.histogram_counts.map((n, bin) => perWidth(n, x(edges[bin + 1]!) - x(edges[bin]!)));
  const nMissing = perWidth(missing?.count ?? 0, 2 * half);
  const tallest = Math.max(nMissing, ...counts);
  const gap = hasLevels(kind) ? LEVEL_GAP : 0;
  return (
    <>
      <path
        class="ice-histogram"
        d={histogramPath({ edges, counts, x, bottom: axis, height, tallest, gap })}
        data-test="histogram"
      />
      {slot !== null && missing !== null && missing.count > 0 && (
        <path
          class="ice-histogram"
          d={bar(slot.at - half, slot.at + half, axis, (nMissing / tallest) * height)}
          data-test="histogram-missing"
        />
      )}
    </>
  );
}

/** Half the width of the bar of a level, as a share of its room, and of a single value, in px. */
const HALF_LEVEL = 0.32;
const SINGLE = 14;

/** The share of the curves whose phantom observation at a value is unlike 99 % of rows, over the histogram of the data. */
function Unlike({ drawing }: Props) {
  const [layout, unlike] = [drawing.layout.value, drawing.unlike.value];
  if (layout === null || unlike === null) return null;
  const { left, right, bottom, axis } = layout;
  const [width, height] = [Math.max(0, right - left), Math.max(0, axis - bottom)];
  return (
    <MarkLayer size={layout.size}>
      <Clip x={left} y={bottom} width={width} height={height}>
        <path class="ice-unlike" d={unlikePath(layout, unlike)} data-test="unlike" />
      </Clip>
    </MarkLayer>
  );
}

function unlikePath({ x, bottom: top, axis: bottom, scene }: Layout, { grid, shares }: UnlikeBody): string {
  const height = scaleLinear([0, 1], [bottom, top + 4]);
  const px = grid.map(x);
  const areLevels = hasLevels(scene.curves.kind);
  if (!areLevels && px.length > 1) {
    return bandPath(
      px,
      () => bottom,
      (point) => height(shares[point]!),
    );
  }
  const half = areLevels ? HALF_LEVEL * (x(1) - x(0)) : SINGLE;
  return Array.from(px, (at, k) => {
    const share = shares[k]!;
    return share > 0 ? bar(at - half, at + half, bottom, bottom - height(share)) : "";
  }).join("");
}

/** The strip for missing values, with its own baseline and tick, because it is not part of the axis. */
function MissingAxis({ layout, slot: { left, right, at } }: { layout: Layout; slot: Slot }) {
  const { yTicks, top, axis, right: end, xTicks } = layout;
  const edge = (end + left) / 2;
  return (
    <g class="ice-axis" data-test="missing-axis">
      {yTicks.map(({ at: y }) => (
        <line class="ice-gridline" x1={left} x2={right} y1={y} y2={y} />
      ))}
      <line class="ice-slot-edge" x1={edge} x2={edge} y1={top} y2={axis} />
      <line class="ice-baseline" x1={left} x2={right} y1={axis} y2={axis} />
      {xTicks.length > 0 && (
        <>
          <line class="ice-tick" x1={at} x2={at} y1={axis} y2={axis + 4} />
          <Label at={at} top={axis}>
            missing
          </Label>
        </>
      )}
    </g>
  );
}

type Which = "all" | "picked";

/** The drawn lines, or those of them that are selected where these are too many for strokes. */
function useLines({ order, layout }: Drawing, which: Which) {
  const { store } = useView();
  const many = useComputed(() => (which === "all" ? null : manySelected(store.selection.value)));
  return useComputed((): Uint32Array | null => {
    if (which === "all") return order.value;
    const positions = layout.value?.scene.curves.positions;
    const rows = many.value;
    return rows === null || positions === undefined ? null : order.value.filter((line) => rows.has(positions[line]!));
  });
}

/** The colours of lines: selected ones have those of the legend, where there is one. */
function usePalette({ colors }: Drawing, which: Which) {
  const { theme } = useView();
  return ({ palette }: Layout) =>
    which === "all" || colors.peek() !== null ? palette : pickPalette(theme.peek().dark ? "dark" : "light");
}

const layerName = (which: Which) => `ice-lines-${which === "all" ? "all" : "selected"}`;

function Lines({ drawing, which }: Props & { which: Which }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useMemo(() => new LinePainter(), []);
  const lines = useLines(drawing, which);
  const choosePalette = usePalette(drawing, which);
  const { pace, drawnUnlike: unlike } = drawing;
  const isAll = which === "all";
  useLayoutEffect(() => () => pace.cancel(painter), []);
  /** What is drawn with all lines, which rest. */
  let drawn: unknown[] = [];
  useKept(
    () => ({
      layout: drawing.layout.value,
      order: lines.value,
      isMoving: pace.movesCurves || (!isAll && pace.movesSelection),
      inputs: [lines.value, drawing.layout.value, drawing.decay.value, unlike.value, drawing.colors.value] as const,
    }),
    ({ layout, order, isMoving, inputs }) => {
      const node = canvas.current;
      if (node === null || layout === null) return;
      node.hidden = order === null;
      if (order === null) return;
      if (inputs.every((input, place) => input === drawn[place])) return;
      const n = isMoving ? pace.affordable(order.length) : order.length;
      const paint = (): void => {
        drawn = n === order.length ? [...inputs] : [];
        const [, , decay, known] = inputs;
        const strength = isAll ? layout.strength : lineStrength(order.length);
        const painting = { layout, decay, strength, palette: choosePalette(layout), flags: known?.flags ?? null };
        const ms = painter.paint(node, painting, order.subarray(0, n), order.length);
        pace.took(ms, n);
        node.dataset.frameMs = ms.toFixed(1);
        if (isAll) drawing.report(layout, n, ms);
      };
      pace.cancel(painter);
      if (!isMoving) pace.whenFree(painter, paint);
      else if (drawing.isNear()) paint();
    },
  );
  return <PixelLayer node={canvas} names={layerName(which)} test={NAMES[which]} />;
}

/** Dots at the observed values. */
function Dots({ drawing, which }: Props & { which: Which }) {
  const { theme } = useView();
  const canvas = useRef<HTMLCanvasElement>(null);
  const lines = useLines(drawing, which);
  const choosePalette = usePalette(drawing, which);
  useKept(
    () => ({
      layout: drawing.layout.value,
      order: lines.value,
      isMoving: drawing.pace.movesAnchor,
      paper: theme.value.paper,
      colors: drawing.colors.value,
    }),
    ({ layout, order, isMoving, paper }) => {
      const pen = canvas.current?.getContext("2d");
      if (layout === null || !pen) return;
      pen.canvas.hidden = order === null;
      if (order === null) return;
      const { scene, lines, y, size, bottom } = layout;
      const palette = choosePalette(layout);
      const { observed } = scene.curves;
      const isMany = lines.nLines > MANY_DOTS;
      const px = Float32Array.from(observed, (value, line) => dotX(layout, line, value));
      fitPixels(pen, size);
      const dots = {
        x: px,
        y: Float32Array.from(scene.own, (value) => y(value)),
        colors: (line: number) => cssColor(palette, lines.color[line]!),
        order: order
          .subarray(0, isMoving ? MOST_MOVING_DOTS : undefined)
          .filter((line) => isOverAxis(layout, observed[line]!, px[line]!) && y(scene.own[line]!) < bottom),
        opacity: isMany && !scene.onLevels ? 0.55 : 0.95,
        // On levels a row has a dot per level, so that of its observed value is larger.
        radius: scene.onLevels ? (isMany ? 2.5 : 3.5) : isMany ? 1.5 : 2.5,
      };
      drawDots(pen, dots, paper);
    },
  );
  return <PixelLayer node={canvas} names={layerName(which)} />;
}

/** Whether the dot of an observed value lies over the axis, or beside it for a missing value; `x` in px of the frame. */
export const isOverAxis = ({ left, right }: Layout, observed: number, x: number): boolean =>
  Number.isNaN(observed) || (x >= left - 0.5 && x <= right + 0.5);

/** The mean, the selected rows and the one under the pointer; each is a component, so that it is drawn alone. */
function Marks({ drawing }: Props) {
  const layout = drawing.layout.value;
  if (layout === null) return null;
  const props = { drawing, layout };
  return (
    <MarkLayer size={layout.size}>
      <Clipped layout={layout}>
        <Mean {...props} />
        <SelectedRows {...props} />
        <SelectedMeans {...props} />
        <PointedRow {...props} />
      </Clipped>
    </MarkLayer>
  );
}

interface MarkProps extends Props {
  layout: Layout;
}

/** The mean, over the axis and beside it. Groups have means of their own. */
function Mean({ drawing, layout }: MarkProps) {
  const isWeighted = useComputed(() => drawing.decay.value < 1);
  const { scene, x, y, slot, top, bottom, left } = layout;
  if (scene.x.length === 0) {
    return (
      <text class="ice-remark" x={left + 8} y={(top + bottom) / 2}>
        {NO_SLOPE}
      </text>
    );
  }
  if (drawing.groups.value !== null) return null;
  const shares = isWeighted.value ? (drawing.drawnUnlike.value?.shares ?? null) : null;
  const test = NAMES.mean;
  const [least, most] = drawing.plotSize === "large" ? [2.5, 5] : [1.5, 3.5];
  const dot = (at: number, value: number, room: number) => {
    const r = Math.min(most, Math.max(least, room / 7));
    return <circle class="ice-mean-level" cx={at} cy={y(value)} r={r} data-test={test} />;
  };
  const isFine = drawing.plotSize === "large" && scene.x.length > MOST_BOLD;
  return (
    <>
      {scene.onLevels ? (
        Array.from(scene.x, (value, k) => dot(x(value), scene.mean[k]!, x(1) - x(0)))
      ) : (
        <g class={isFine ? "ice-mean ice-mean-fine" : "ice-mean"} data-test={test}>
          <Fading x={scene.x.map(x)} y={(point) => y(scene.mean[point]!)} shares={shares} />
        </g>
      )}
      {slot !== null && scene.missing !== null && dot(slot.at, scene.missing.mean, slot.right - slot.left)}
    </>
  );
}

/** Selected rows, where they are few enough for strokes. */
function SelectedRows({ drawing, layout }: MarkProps) {
  const { store } = useView();
  const hidden = drawing.hidden.value;
  const lines = fewSelected(store.selection.value).flatMap((row) => linesOfRow(layout, row, hidden));
  const isThin = lines.length > (layout.scene.models?.length ?? 1);
  // A single row, and those in small plots, are found by a colour of their own.
  const isColored = isThin && drawing.plotSize === "large" && drawing.colors.value !== null;
  return lines.map((line) => <RowMark key={line} {...{ drawing, layout, line, isThin, isColored }} name="selected" />);
}

function PointedRow({ drawing, layout }: MarkProps) {
  const row = useView().store.pointed.value;
  const lines = row === null ? [] : linesOfRow(layout, row, drawing.hidden.value);
  return lines.map((line) => <RowMark key={line} {...{ drawing, layout, line }} name="hovered" />);
}

interface RowProps extends MarkProps {
  line: number;
  name: "selected" | "hovered";
  isThin?: boolean;
  isColored?: boolean;
}

/** The curve of a row with its observed value, and its prediction with the value missing beside the axis. */
function RowMark({ drawing, layout, line, name, isThin = false, isColored = false }: RowProps) {
  const { scene, lines, palette, x, y } = layout;
  const { curves, onLevels, missing } = scene;
  const px = scene.x.map((value) => (onLevels ? dotX(layout, line, value) : x(value)));
  const height = (point: number) => y(scene.values[line * px.length + point]!);
  const color = cssColor(palette, lines.color[line]!);
  // A missing value may have no place.
  const dot = (cx: number, cy: number, r: number) =>
    Number.isFinite(cx + cy) && <circle cx={cx} cy={cy} r={r} style={{ fill: color }} />;
  const [slotX, end] = [dotX(layout, line, Number.NaN), px.length - 1];
  const value = missing === null ? Number.NaN : y(missing.values[line]!);
  const toMissing = linePath([px[end]!, slotX], (point) => (point === 0 ? height(end) : value));
  const hasColor = isColored || scene.models !== null;
  return (
    <g
      class={`ice-${name}${onLevels ? " ice-connected" : ""}${isThin ? " ice-selected-thin" : ""}`}
      data-test={NAMES[name]}
      data-row={curves.positions[line]}
      style={hasColor ? { "--ice-line": color } : {}}
    >
      <Haloed d={linePath(px, height)} />
      {missing !== null && <path class="ice-to-missing" d={toMissing} />}
      {dot(slotX, value, 2.5)}
      {onLevels && Array.from(px, (at, point) => dot(at, height(point), 2.5))}
      {dot(dotX(layout, line, curves.observed[line]!), y(scene.own[line]!), drawing.plotSize === "large" ? 4 : 3)}
    </g>
  );
}

/** The mean of the curves of the selected rows, where at least two are drawn; of several models, that of each. */
function SelectedMeans({ drawing, layout }: MarkProps) {
  const selection = useView().store.selection.value;
  const { curves, models } = layout.scene;
  if (selection.length < 2 || drawing.plotSize !== "large") return null;
  const rows = new Set(selection);
  const n = linesPerModel(layout.scene);
  const groups = Float32Array.from(curves.positions, (row, line) =>
    rows.has(row) ? Math.floor(line / n) : Number.NaN,
  );
  return shownModels(models, drawing.hidden.value).map((place) => {
    const color = models === null ? {} : { "--ice-line": cssColor(layout.palette, models[place]!.model) };
    return <GroupMark key={place} layout={layout} groups={groups} group={place} style={color} />;
  });
}

const shownModels = (models: Layout["scene"]["models"], hidden: Hidden): number[] =>
  models === null ? [0] : [...models.keys()].filter((place) => !hidden.has(models[place]!.model));

interface GroupProps {
  layout: Layout;
  /** The group of each line. */
  groups: Float32Array;
  group: number;
  style: Record<string, string>;
}

/** The mean of the curves of a group, over the axis and beside it. */
function GroupMark({ layout: { scene, x, y, slot }, groups, group, style }: GroupProps) {
  const mean = groupMeans(scene.values, scene.x.length, groups, group + 1)[group]!;
  if (mean.n < 2) return null;
  const px = scene.x.map(x);
  const height = (point: number) => y(mean.values[point]!);
  const missing =
    slot === null || scene.missing === null
      ? null
      : groupMeans(scene.missing.values, 1, groups, group + 1)[group]!.values[0]!;
  return (
    <g class="ice-selected-mean" data-test="selected-mean" data-rows={mean.n} style={style}>
      {scene.onLevels ? (
        Array.from(px, (cx, point) => <circle cx={cx} cy={height(point)} r={4.5} />)
      ) : (
        <Haloed d={linePath(px, height)} />
      )}
      {missing !== null && <circle cx={slot!.at} cy={y(missing)} r={4.5} />}
    </g>
  );
}
