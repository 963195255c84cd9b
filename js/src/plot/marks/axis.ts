/** Axes: hairlines and labels, without a frame. */

import { partings } from "../../text/names.ts";
import { svg } from "../../ui/element.ts";
import type { Scale } from "./scale.ts";

export interface Tick {
  at: number;
  label: string;
}

export function ticksOf(scale: Scale, count: number, options?: Intl.NumberFormatOptions): Tick[] {
  const write = scale.tickFormat(count, options);
  return scale.ticks(count).map((value) => ({ at: scale(value), label: write(value) }));
}

/** The least share of the width for the beginning of a text that is cut in the middle. */
const LEAST_HEAD = 0.3;

/** Measures the width of texts on a canvas; without a canvas, all are 40 px. */
function measurer(font: string): (text: string) => number {
  const pen = document.createElement("canvas").getContext("2d");
  if (pen === null) return () => 40;
  pen.font = font;
  return (text) => Math.ceil(pen.measureText(text).width);
}

/** The width of the widest label. */
export function labelWidth(ticks: readonly Tick[], font: string): number {
  const width = measurer(font);
  return Math.max(0, ...ticks.map(({ label }) => width(label)));
}

/** Cuts a text to a width, by bisection. */
export function fitted(text: string, width: number, font: string): string {
  const measured = measurer(font);
  if (measured(text) <= width) return text;
  let [kept, tooMany] = [0, text.length + 1];
  while (tooMany - kept > 1) {
    const half = (kept + tooMany) >> 1;
    if (measured(`${text.slice(0, half)}…`) <= width) kept = half;
    else tooMany = half;
  }
  if (/[\uD800-\uDBFF]/.test(text[kept - 1] ?? "")) kept--; // half a letter
  return `${text.slice(0, kept).trimEnd()}…`;
}

/** Cuts texts to a width; texts that would become equal are cut within their shared beginning. */
export function fittedApart(texts: readonly string[], width: number, font: string): string[] {
  const cut = texts.map((text) => fitted(text, width, font));
  const times = new Map<string, number>();
  for (const shown of cut) times.set(shown, (times.get(shown) ?? 0) + 1);
  const parted = partings(texts);
  const measured = measurer(font);
  return texts.map((text, place) => {
    const at = parted.get(text);
    if (text === cut[place] || times.get(cut[place]!) === 1 || at === undefined) return cut[place]!;
    const tail = text.slice(at);
    const head = fitted(text.slice(0, at), Math.max(LEAST_HEAD * width, width - measured(tail)), font);
    return head + fitted(tail, width - measured(head), font);
  });
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

const SLANT_DEGREES = 38;
const SLANT = (SLANT_DEGREES * Math.PI) / 180;
/** Slanted labels are cut to this width, in px. */
const LONGEST_SLANTED = 104;
/** Labels nearer to each other than this are not read, so every second or third is left out. */
const LEAST_APART = 14;

/** Side by side, names may lose this share of their width before they are slanted instead. */
const MOST_CUT = 0.25;

export interface LevelLabels {
  slanted: boolean;
  /** The width to which a name is cut, in px. */
  width: number;
  /** Room that they take under the axis. */
  height: number;
}

/** Levels are written side by side where all of them all but fit their room, and slanted where not. */
export function levelLabels(ticks: readonly Tick[], room: number, font: string): LevelLabels {
  const widest = labelWidth(ticks, font);
  if (widest * (1 - MOST_CUT) <= room - 6) return { slanted: false, width: room - 6, height: 24 };
  const width = Math.min(widest, LONGEST_SLANTED);
  return { slanted: true, width, height: Math.ceil(22 + Math.sin(SLANT) * width) };
}

/** A baseline with the names of levels, slanted where they would touch; a long name is cut, the hover shows it whole. */
export function levelAxis(
  ticks: readonly Tick[],
  { slanted, width }: LevelLabels,
  left: number,
  right: number,
  top: number,
  font: string,
): SVGGElement {
  const group = svg("g", { class: "ice-axis", "aria-hidden": "true", "data-test": "level-axis" });
  group.append(svg("line", { class: "ice-baseline", x1: left, x2: right, y1: top, y2: top }));
  const apart = ticks.length > 1 ? Math.abs(ticks[1]!.at - ticks[0]!.at) : Number.POSITIVE_INFINITY;
  const every = slanted ? Math.max(1, Math.ceil(LEAST_APART / apart)) : 1;
  const texts = fittedApart(
    ticks.map(({ label }) => label),
    width,
    font,
  );
  for (const [place, { at }] of ticks.entries()) {
    group.append(svg("line", { class: "ice-tick", x1: at, x2: at, y1: top, y2: top + 4 }));
    if (place % every !== 0) continue;
    if (!slanted) {
      group.append(svg("text", { x: at, y: top + 8, dy: "0.71em", "text-anchor": "middle" }, texts[place]!));
      continue;
    }
    const text = fitted(texts[place]!, at / Math.cos(SLANT), font);
    const [x, y] = [at + 3, top + 10];
    const turn = `rotate(${-SLANT_DEGREES} ${x} ${y})`;
    group.append(svg("text", { x, y, dy: "0.35em", "text-anchor": "end", transform: turn }, text));
  }
  return group;
}
