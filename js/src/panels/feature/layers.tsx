/** Layers of the plot of the open feature: the observed target, means of groups, values unlike the data, ALE, and a row. */
import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Drawing } from "../../plot/drawing.ts";
import type { AleLine } from "../../plot/effects.ts";
import { type GroupMean, groupMeans } from "../../plot/geometry/crossing.ts";
import { cssColor } from "../../plot/geometry/palette.ts";
import { OWN_DRAG } from "../../plot/gestures.ts";
import { useKept } from "../../plot/hooks.ts";
import { dotX, type Layout } from "../../plot/layout.ts";
import { Fading, linePath } from "../../plot/marks/paths.tsx";
import { rowLines } from "../../plot/models.ts";
import { Clipped, isOverAxis, MarkLayer, PixelLayer } from "../../plot/plot.tsx";
import type { Pins } from "../../state/pins.ts";
import { explanation } from "../../text/glossary.ts";
import { Term } from "../../ui/components.tsx";
import { fitPixels } from "../../ui/layers.ts";
import { useView } from "../../view/use_view.tsx";
import type { UnlikeBody } from "../../wire/protocol.ts";
import type { Shown } from "./shown.ts";

interface Props {
  drawing: Drawing;
}

const TARGET_RADIUS = 2.5;
const FEW_TARGETS = 200;

/** The observed target, as hollow points behind the lines: the farther from the lines, the larger the residual. */
export function Target({ drawing }: Props) {
  const { theme } = useView();
  const canvas = useRef<HTMLCanvasElement>(null);
  useKept(
    () => [drawing.layout.value, drawing.target.value, drawing.order.value, theme.value.ink] as const,
    ([layout, observed, lines, ink]) => {
      const node = canvas.current;
      const pen = node?.getContext("2d");
      if (!node || !pen) return;
      node.hidden = observed === null;
      node.dataset.points = "0";
      if (layout === null || observed === null) return;
      const { size, scene, order, y } = layout;
      fitPixels(pen, size);
      pen.strokeStyle = ink;
      pen.globalAlpha = Math.max(0.25, 0.6 * Math.min(1, FEW_TARGETS / order.length) ** 0.35);
      let points = 0;
      for (const line of rowLines(layout, lines)) {
        const x = dotX(layout, line, scene.curves.observed[line]!);
        const at = y(observed[line % observed.length]! - scene.base);
        if (!Number.isFinite(x + at)) continue;
        pen.beginPath();
        pen.arc(x, at, TARGET_RADIUS, 0, 2 * Math.PI);
        pen.stroke();
        points++;
      }
      node.dataset.points = String(points);
    },
  );
  return <PixelLayer node={canvas} test="target" />;
}

/** Groups are drawn side by side within this share of a level's width. */
const DODGE = 0.5;
const GROUP_RADIUS = 4;

/** The mean curve of each coloured group. */
export function GroupMeans({ drawing }: Props) {
  const isWeighted = useComputed(() => drawing.decay.value < 1);
  const [layout, groups, hidden] = [drawing.layout.value, drawing.groups.value, drawing.hidden.value];
  if (layout === null || groups === null) return null;
  const { means, missing } = groups;
  const unlike = isWeighted.value ? drawing.drawnUnlike.value : null;
  const shares = unlike && unlikeByGroup(layout, unlike, means.length);
  const { slot, y, palette } = layout;
  const visible = [...means.keys()].filter((group) => means[group]!.n > 0 && !hidden.has(group));
  return (
    <MarkLayer size={layout.size}>
      <Clipped layout={layout}>
        {visible.map((group, place) => {
          const aside = ((place + 0.5) / visible.length - 0.5) * DODGE;
          const style = { "--ice-line": cssColor(palette, group) };
          const value = missing?.[group]?.values[0];
          return (
            <g key={group}>
              <g class="ice-group" data-test="group-mean" data-level={group} style={style}>
                <GroupMark
                  {...{ layout, aside }}
                  values={means[group]!.values}
                  shares={shares?.[group]?.values ?? null}
                />
              </g>
              {slot !== null && value !== undefined && (
                <g class="ice-group" style={style}>
                  <circle cx={slot.at + aside * (slot.right - slot.left)} cy={y(value)} r={GROUP_RADIUS} />
                </g>
              )}
            </g>
          );
        })}
      </Clipped>
    </MarkLayer>
  );
}

/** The share of the curves of each group that is unlike the data, at each value. */
const unlikeByGroup = ({ lines }: Layout, { flags, grid }: UnlikeBody, nGroups: number): GroupMean[] =>
  groupMeans(Float32Array.from(flags), grid.length, lines.color, nGroups);

interface GroupProps {
  layout: Layout;
  values: Float32Array;
  aside: number;
  shares: Float32Array | null;
}

/** A line; on levels a dot for each, beside those of the other groups. */
function GroupMark({ layout: { scene, x, y }, values, aside, shares }: GroupProps) {
  const height = (point: number) => y(values[point]!);
  if (!scene.onLevels) return <Fading x={scene.x.map(x)} y={height} shares={shares} />;
  const room = x(1) - x(0);
  return Array.from(scene.x, (value, point) => (
    <circle key={point} cx={x(value) + aside * room} cy={height(point)} r={GROUP_RADIUS} />
  ));
}

/** On levels: distance of ALE from the mean, as a share of a level's room, and half the size of a mark, in px. */
const ASIDE = -0.2;
const REACH = 5;

/** The rim of ALE, under the mean: where both coincide, both are visible. */
export function AleRim({ drawing, ale }: Pick<Shown, "drawing" | "ale">) {
  const [layout, line] = [drawing.layout.value, ale.value];
  if (layout === null || line === null || layout.scene.onLevels) return null;
  return (
    <MarkLayer size={layout.size}>
      <path class="ice-halo" d={alePath(layout, line)} />
    </MarkLayer>
  );
}

/** ALE, next to the mean of the curves. */
export function Ale({ drawing, ale }: Pick<Shown, "drawing" | "ale">) {
  const [layout, line] = [drawing.layout.value, ale.value];
  if (layout === null || line === null) return null;
  return (
    <MarkLayer size={layout.size}>
      <g class="ice-effect" data-test="effect-ale">
        {layout.scene.onLevels ? (
          rhombuses(layout, line).map((d, level) => <path key={level} class="ice-effect-sign" d={d} />)
        ) : (
          <path class="ice-stroke" d={alePath(layout, line)} />
        )}
      </g>
    </MarkLayer>
  );
}

const alePath = (layout: Layout, { x, values }: AleLine): string =>
  linePath(x.map(layout.x), (point) => layout.y(values[point]!));

function rhombuses({ x: scale, y }: Layout, { x, values }: AleLine): string[] {
  const room = scale(1) - scale(0);
  const r = Math.min(REACH, Math.max(2.5, room / 8));
  return Array.from(x, (value, point) => {
    const [cx, cy] = [scale(value) + ASIDE * room, y(values[point]!)];
    return Number.isFinite(cy) ? `M${cx},${cy - r}l${r},${r}l${-r},${r}l${-r},${-r}Z` : "";
  });
}

/** Of the row whose card is open: its dot, a line from it to the axis, and the value there. */
export function Observed({ drawing, pins }: Props & { pins: Pins }) {
  const [layout, row] = [drawing.layout.value, pins.opened.value];
  const line = layout === null || row === null ? -1 : layout.scene.curves.positions.indexOf(row);
  if (layout === null || row === null || line === -1) return null;
  const { scene, left, right, bottom, axis, size, write } = layout;
  const value = scene.curves.observed[line]!;
  const [x, y] = [dotX(layout, line, value), layout.y(scene.own[line]!)];
  if (!Number.isFinite(x + y) || !isOverAxis(layout, value, x) || y < 0 || y > bottom) return null;
  const isRight = x > (left + right) / 2;
  return (
    <MarkLayer size={size}>
      <g class="ice-own-value" data-test="own-value" data-row={row}>
        <line x1={x} x2={x} y1={y} y2={axis} />
        <circle cx={x} cy={y} r={6.5} />
        <text x={x + (isRight ? -6 : 6)} y={axis - 6} text-anchor={isRight ? "end" : "start"}>
          {Number.isNaN(value) ? "" : write(value)}
        </text>
      </g>
    </MarkLayer>
  );
}

/** Height of the label of a strip, in px. */
const STRIP_LABEL = 16;

/** The name of the strip under the curves, left of it, with an explanation. */
export function StripName({ drawing }: Props) {
  const layout = drawing.layout.value;
  if (layout === null) return null;
  const { size, left, axis } = layout;
  const meaning = explanation("histogram");
  return (
    <Term
      of={meaning}
      class="ice-strip-name"
      {...{ [OWN_DRAG]: true }}
      data-test="strip-histogram"
      style={{ right: `${size.width - left + 8}px`, top: `${axis - STRIP_LABEL}px` }}
    />
  );
}
