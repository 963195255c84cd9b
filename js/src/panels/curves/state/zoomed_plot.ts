/** A plot with a visible part of its axes, and the clipping that follows from it. */

import { svg } from "../../../elements/element.ts";
import { stripEnds } from "../../../geometry/levels.ts";
import { stepValues } from "../../../geometry/transforms.ts";
import { heldTo, isWhole, type Span } from "../../../geometry/zoom.ts";
import { CHANGE, labelWidth, ticksOf } from "../../../marks/axis.ts";
import { scaleLinear } from "../../../marks/scale.ts";
import { featureTicks, type Plot, toPixels, valueTicks } from "../../../plots/plot.ts";
import type { Window } from "./zoom.ts";

/**
 * The same plot with other ends of its axes. Parts that do not depend on the zoom, such as the opacities of the lines,
 * are shared, and an axis that is completely visible keeps its arrays, so that the raster can reuse its results.
 */
export function zoomedPlot(plot: Plot, window: Window, font: string): Plot {
  const { scene, whole, top, bottom, size } = plot;
  const { base, onLevels } = scene;
  const [low, high] = heldTo([window.y[0] - base, window.y[1] - base], whole.y);
  const wantedX = onLevels ? whole.x : heldTo(window.x, whole.x);
  const cut = { x: !isWhole(wantedX, whole.x), y: !isWhole([low, high], whole.y) };
  if (!cut.x && !cut.y) return plot;

  const range: Span = [bottom, top];
  const y = scaleLinear().domain([low, high]).range(range);
  const wanted = Math.max(2, Math.floor((bottom - top) / 48));
  const values = valueTicks([low + base, high + base], range, wanted);
  const left = Math.max(plot.left, labelWidth(values.ticks, font) + 12);
  const x = scaleLinear().domain(wantedX).range([left, plot.right]);
  const [lowest, highest] = scene.curves.predictionRange;
  const share = y.copy().domain([low / (highest - lowest), high / (highest - lowest)]);
  const rangeTicks = plot.rangeTicks.length > 0 ? ticksOf(share, wanted, CHANGE) : [];
  const xTicks = featureTicks(scene, plot.write, x).filter(({ at }) => at >= left - 0.5 && at <= plot.right + 0.5);

  const sameX = !cut.x && left === plot.left;
  const px = scene.x.map((value) => (x(value) - left) * size.ratio);
  const heights = () => toPixels(scene.values, y, size.ratio);
  return {
    ...plot,
    cut,
    left,
    x,
    y,
    xTicks,
    yTicks: values.ticks,
    valueExponent: values.exponent,
    rangeTicks,
    lines: {
      ...plot.lines,
      x: sameX ? plot.lines.x : onLevels ? stripEnds(px, plot.reach * size.ratio) : px,
      y: !cut.y ? plot.lines.y : onLevels ? stepValues(heights()) : heights(),
    },
  };
}

export interface Clip {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * Where drawing ends: at the ends of a zoomed axis; otherwise marks may extend beyond the plot. Slopes end at the
 * bottom, so that the strips below stay readable.
 */
export function clipOf({ cut, scene, left, right, top, bottom, size }: Plot): Clip {
  return {
    left: cut.x ? left : 0,
    right: cut.x ? right : size.width,
    top: cut.y ? top : 0,
    bottom: cut.y || scene.kind === "d-ice" ? bottom : size.height,
  };
}

/** The same for the dots at observed values, which may lie beyond the ends of the grid. */
export const clipOfObserved = (plot: Plot): Clip => ({ ...clipOf(plot), left: plot.left, right: plot.right });

/** The same for the strip of missing values. */
export function clipBeside(plot: Plot): Clip {
  return { ...clipOf(plot), left: plot.cut.x ? plot.right : 0, right: plot.size.width };
}

export const isWithin = ({ left, right, top, bottom }: Clip, x: number, y: number): boolean =>
  x >= left - 0.5 && x <= right + 0.5 && y >= top - 0.5 && y <= bottom + 0.5;

/** An SVG element that clips its content, in the coordinates of the whole plot. */
export function clipped({ left, right, top, bottom }: Clip): SVGSVGElement {
  const [width, height] = [Math.max(0, right - left), Math.max(0, bottom - top)];
  const viewBox = `${left} ${top} ${width} ${height}`;
  return svg("svg", { class: "ice-clip", x: left, y: top, width, height, viewBox });
}

/** Whether a place is in the strip for missing values, in px of the frame. */
export const isBeside = ({ slot }: Plot, x: number): boolean => slot !== null && x > slot.left - 7;
