/** Labels of axes: what they say, and how much room they take. */

import { partings } from "../../text/names.ts";
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

export const SLANT_DEGREES = 38;
export const SLANT = (SLANT_DEGREES * Math.PI) / 180;
/** Slanted labels are cut to this width, in px. */
const LONGEST_SLANTED = 104;

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
