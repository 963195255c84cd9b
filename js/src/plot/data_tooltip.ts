/** What the pointer shows of the data under the curves: a level, a bar of the histogram, or the missing values. */
import { bisectRight, least } from "d3-array";
import { explanation } from "../text/glossary.ts";
import { count, number, percent } from "../text/numbers.ts";
import { placeWriterOf } from "../text/values.ts";
import type { TooltipRow } from "../ui/tooltip.ts";
import type { UnlikeBody } from "../wire/protocol.ts";
import { nearestIndex } from "./geometry/transforms.ts";
import type { Point } from "./gestures.ts";
import type { Layout } from "./layout.ts";
import type { Scene } from "./scene.ts";

/** Content at a position under the curves, and the target of its tooltip. */
interface DataTooltip {
  title: string;
  rows: TooltipRow[];
  x: number;
}

/** `unlike` are the shares of the strip along the axis, where there is one. */
export function dataAt(layout: Layout, unlike: UnlikeBody | null, { x, y }: Point): DataTooltip | null {
  const { slot, scene, axis, left, right, bottom } = layout;
  if (y < bottom || x < left) return null;
  const { missing, n_observations: nObservations } = scene.curves;
  if (slot !== null && missing !== null && x >= slot.left && x <= slot.right) {
    const rows = [countRow(missing.count, nObservations), meanRow(scene, scene.missing!.mean)];
    return { title: "missing", rows, x: slot.at };
  }
  if (x > right) return null;
  const data = layout.levelLabels !== null ? levelAt(layout, x) : y <= axis ? binAt(layout, x) : null;
  if (data === null || unlike === null) return data;
  return { ...data, rows: [...data.rows, unlikeRow(unlike, layout.x.invert(data.x))] };
}

const countRow = (observations: number, all: number): TooltipRow => ({
  label: "observations",
  value: `${count(observations)} of ${count(all)} (${percent(observations / all)})`,
});

/** The share at the grid value next to a value. */
const unlikeRow = ({ grid, shares }: UnlikeBody, value: number): TooltipRow => ({
  label: explanation("unlike").name,
  value: `${percent(shares[nearestIndex(grid, value)]!)} of the curves`,
});

const meanRow = ({ base }: Scene, mean: number): TooltipRow => ({
  label: "partial dependence",
  value: number(mean + base),
});

/** A level: its whole name, how many observations have it, and their mean. */
function levelAt(layout: Layout, x: number): DataTooltip | null {
  const { scene, xTicks } = layout;
  const tick = least(xTicks, ({ at }) => Math.abs(at - x));
  if (tick === undefined) return null;
  const { grid, histogram_edges: edges, histogram_counts: counts, n_observations: nObservations } = scene.curves;
  const level = nearestIndex(grid, layout.x.invert(tick.at));
  const observations = counts[bisectRight(edges, grid[level]!) - 1];
  const rows = observations === undefined ? [] : [countRow(observations, nObservations)];
  if (scene.onLevels) rows.push(meanRow(scene, scene.mean[level]!));
  return { title: tick.label, rows, x: tick.at };
}

/** A bar of the histogram: its values, and how many observations have them. */
function binAt({ scene, x: scale }: Layout, x: number): DataTooltip | null {
  const { curves } = scene;
  const { histogram_edges: edges, histogram_counts: counts, grid, n_observations: nObservations } = curves;
  const bin = Math.min(counts.length, bisectRight(edges, scale.invert(x))) - 1;
  const observations = counts[bin];
  if (observations === undefined || scale.invert(x) > edges[edges.length - 1]!) return null;
  const [low, high] = [edges[bin]!, edges[bin + 1]!];
  const write = placeWriterOf(curves);
  const inside = Array.from(grid).filter((value) => low <= value && value < high);
  // A bar of a single value; its edges are half way to the neighbours.
  const title =
    counts.length <= grid.length && inside.length === 1 ? write(inside[0]!) : `${write(low)} to ${write(high)}`;
  const [from, to] = scale.range() as [number, number];
  const middle = (Math.max(from, scale(low)) + Math.min(to, scale(high))) / 2;
  return { title: `${curves.feature} ${title}`, rows: [countRow(observations, nObservations)], x: middle };
}
