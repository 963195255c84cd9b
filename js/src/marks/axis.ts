/** Quiet axes: hairlines, tabular numerals, no frame. */
import type { ScaleLinear } from "d3-scale";
import { svg } from "./element.ts";

export type Scale = ScaleLinear<number, number>;

export interface Tick {
  at: number;
  label: string;
}

export function ticksOf(scale: Scale, count: number, specifier?: string): Tick[] {
  const write = scale.tickFormat(count, specifier);
  return scale.ticks(count).map((value) => ({ at: scale(value), label: write(value) }));
}

/** How wide the labels are, so that the margin fits them. */
export function labelWidth(ticks: readonly Tick[], font: string): number {
  const pen = document.createElement("canvas").getContext("2d");
  if (pen === null) return 40;
  pen.font = font;
  return Math.ceil(Math.max(0, ...ticks.map(({ label }) => pen.measureText(label).width)));
}

/** Labels left of the plot, each with a hairline across it. */
export function leftAxis(ticks: readonly Tick[], left: number, right: number): SVGGElement {
  const group = svg("g", { class: "ice-axis", "aria-hidden": "true" });
  for (const { at, label } of ticks) {
    group.append(
      svg("line", { class: "ice-gridline", x1: left, x2: right, y1: at, y2: at }),
      svg("text", { x: left - 8, y: at, dy: "0.32em", "text-anchor": "end" }, label),
    );
  }
  return group;
}

export function rightAxis(ticks: readonly Tick[], right: number): SVGGElement {
  const group = svg("g", { class: "ice-axis", "aria-hidden": "true" });
  for (const { at, label } of ticks) {
    group.append(
      svg("line", { class: "ice-tick", x1: right, x2: right + 4, y1: at, y2: at }),
      svg("text", { x: right + 8, y: at, dy: "0.32em" }, label),
    );
  }
  return group;
}

/** A baseline with labels under it, none beyond `width`; a label that would touch its neighbour is left out. */
export function bottomAxis(
  ticks: readonly Tick[],
  left: number,
  right: number,
  width: number,
  top: number,
  font: string,
): SVGGElement {
  const group = svg("g", { class: "ice-axis", "aria-hidden": "true" });
  group.append(svg("line", { class: "ice-baseline", x1: left, x2: right, y1: top, y2: top }));
  let free = Number.NEGATIVE_INFINITY;
  for (const tick of ticks) {
    const half = labelWidth([tick], font) / 2;
    group.append(svg("line", { class: "ice-tick", x1: tick.at, x2: tick.at, y1: top, y2: top + 4 }));
    const middle = Math.min(Math.max(tick.at, half), width - half);
    if (middle - half < free) continue;
    group.append(svg("text", { x: middle, y: top + 8, dy: "0.71em", "text-anchor": "middle" }, tick.label));
    free = middle + half + 8;
  }
  return group;
}
