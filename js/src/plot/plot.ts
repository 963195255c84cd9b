/** A scene fitted to a size: scales, margins, and every line in pixels of the canvas. */
import { shuffler } from "d3-array";
import { randomLcg } from "d3-random";
import { isSplit } from "../state/two_sides.ts";
import { dateTicks, unitOf } from "../text/dates.ts";
import { separatesThousands, tickExponents } from "../text/numbers.ts";
import { hasLevels, writerOf } from "../text/values.ts";
import type { Size } from "../view/size.ts";
import type { Theme } from "../view/theme.ts";
import type { ColorsBody, ViewChoices } from "../wire/protocol.ts";
import { FEW_VALUES, featureScale, isByRank } from "./feature_scale.ts";
import { placeInStrip, stripEnds, stripReach } from "./geometry/levels.ts";
import { divergingPalette, isDiverging, levelPalette, plainPalette, rampPalette } from "./geometry/palette.ts";
import type { LineSet, Palette } from "./geometry/raster.ts";
import { lineStrength, lineThickness } from "./geometry/raster.ts";
import { splitPalette } from "./geometry/split_palette.ts";
import { stepValues } from "./geometry/transforms.ts";
import { type LevelLabels, labelWidth, levelLabels, type Tick, ticksOf } from "./marks/axis.ts";
import { type Scale, scaleLinear } from "./marks/scale.ts";
import type { Scene } from "./scene.ts";
import type { ValueRange } from "./value_range.ts";

/** A strip of dots next to the axis. */
export interface Slot {
  left: number;
  right: number;
  at: number;
  reach: number;
}

export interface Plot {
  scene: Scene;
  size: Size;
  left: number;
  right: number;
  /** The right end of everything drawn: `right`, or the end of the strip of missing values. */
  outer: number;
  /** The strip for missing values, next to the axis. */
  slot: Slot | null;
  /** Half the width of the strip of a level's dots; 0 if they are in one line. */
  reach: number;
  top: number;
  /** Where the lines end. */
  bottom: number;
  /** Where the strip with the spread of the slopes ends, and the histogram begins; `bottom` where there is none. */
  slopesEnd: number;
  /** Room for the names of lines right of everything drawn; 0 where there is none. */
  labelRoom: number;
  axis: number;
  /** Whether the places of values are their ranks. */
  byRank: boolean;
  x: Scale;
  /** From values relative to the scene's base. */
  y: Scale;
  /** How a value of the feature is written. */
  write: (value: number) => string;
  xTicks: Tick[];
  /** How the ticks are written where they are levels. */
  levelLabels: LevelLabels | null;
  yTicks: Tick[];
  /** Whether the value axis is that of all features. */
  shared: boolean;
  /** Whether lines may leave the plot. */
  isCut: boolean;
  /** "×10⁻⁵" where the labels are written in that unit; mostly empty. */
  valueExponent: string;
  palette: Palette;
  /** The lines in pixels of the canvas; on levels, the connectors, two points per level. */
  lines: LineSet;
  /** All lines, in an order that makes every prefix a fair sample. */
  order: Uint32Array;
  thickness: number;
  strength: number;
}

/** The part of a plot that painting reads. */
export type Drawable = Pick<
  Plot,
  "scene" | "size" | "left" | "slot" | "reach" | "x" | "y" | "palette" | "lines" | "thickness"
>;

/** Height of the histogram with what is unlike the data, and of the spread of the slopes. */
const STRIP = 28;
/** Room for its name on the left. */
const STRIP_LABEL = 36;
/** A step curve inks about as many pixels as this many other curves. */
const STEP_LINES = 4;
const AXIS_LABELS = 24;
/** Distance and width of the strip next to the axis. */
const SLOT_GAP = 14;
const SLOT_WIDTH = 48;
const TOP = 8;
/** Room above and below the outermost line. */
const BREATH = 6;

/** The colour coordinate of each line: 0..1 on the ramp or the index of a level; NaN = missing. */
export function colorValues(colors: ColorsBody | null, nLines: number): Float32Array {
  if (colors === null) return new Float32Array(nLines);
  const { scale, values } = colors;
  if (scale.kind === "category") return Float32Array.from(values);
  const [low, high] = scale.domain;
  return Float32Array.from(values, (value) =>
    high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : value - value + 0.5,
  );
}

export function paletteOf(colors: ColorsBody | null, theme: Theme): Palette {
  const shade = theme.dark ? "dark" : "light";
  if (colors === null) return plainPalette(shade);
  if (isSplit(colors.scale)) return splitPalette(shade);
  if (colors.scale.kind === "continuous") {
    return isDiverging(colors.scale.domain) ? divergingPalette(shade) : rampPalette(shade);
  }
  return levelPalette(colors.scale.levels.length, colors.scale.ordered, shade);
}

/** What the ticks of a feature depend on. */
type FeatureValues = Pick<Scene["curves"], "grid" | "kind" | "clock">;

export function featureTicks(
  { curves }: { curves: FeatureValues },
  write: (value: number) => string,
  x: Scale,
): Tick[] {
  const { grid, kind } = curves;
  const isFew = grid.length <= FEW_VALUES || kind === "boolean" || hasLevels(kind);
  if (isFew) return Array.from(grid, (value) => ({ at: x(value), label: write(value) }));
  const [left = 0, right = 0] = x.range();
  const length = Math.abs(right - left);
  if (kind === "datetime") {
    const wanted = Math.max(2, Math.floor(length / 84));
    const ticks = dateTicks(x.domain(), wanted, curves.clock);
    return ticks.map(({ value, label }) => ({ at: x(value), label }));
  }
  const wanted = Math.max(2, Math.min(10, Math.floor(length / 64)));
  const options = { useGrouping: separatesThousands(grid) };
  if (kind === "timedelta") {
    const { perDay } = unitOf(grid);
    return ticksOf(scaleLinear(times(x.domain(), perDay), x.range()), wanted, options);
  }
  const isWhole = grid.every(Number.isInteger);
  const values = x.ticks(wanted);
  const exponents = tickExponents(Math.max(...values.map(Math.abs)), (values[1] ?? Number.NaN) - values[0]!);
  if (exponents !== null) return values.map((value) => ({ at: x(value), label: exponents(value) }));
  return ticksOf(x, wanted, options).filter(({ at }) => !isWhole || Number.isInteger(Number(x.invert(at).toFixed(9))));
}

const times = ([from, to]: [number, number], by: number): [number, number] => [from * by, to * by];

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Ticks of the value axis. Where labels would be mostly zeros, they are written in a power of ten. */
export function valueTicks(domain: [number, number], range: [number, number], wanted: number) {
  const size = Math.max(Math.abs(domain[0]), Math.abs(domain[1]));
  const power = size > 0 && (size < 1e-3 || size >= 1e6) ? Math.floor(Math.log10(size)) : 0;
  const scale = scaleLinear(times(domain, 10 ** -power), range);
  const digits = Array.from(String(Math.abs(power)), (digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return { ticks: ticksOf(scale, wanted), exponent: power === 0 ? "" : `×10${power < 0 ? "⁻" : ""}${digits}` };
}

/** The strip right of an axis that ends at `end`; null without missing values. */
export function slotOf({ missing, curves }: Scene, end: number, gap: number, width: number): Slot | null {
  if (missing === null) return null;
  const left = end + gap;
  return { left, right: left + width, at: left + width / 2, reach: stripReach(curves.n_lines, width) };
}

/** What a plot is laid out for. */
interface Setting {
  scene: Scene;
  size: Size;
  font: string;
  range: ValueRange;
  labelRoom: number;
  axisChoice: ViewChoices["axis"];
}

/** Axes and margins of a plot whose axis labels have this height. */
function layOut({ scene, size, font, range: { low, high }, labelRoom, axisChoice }: Setting, labelsHeight: number) {
  const { curves, base } = scene;
  const axis = size.height - labelsHeight;
  const slopesEnd = axis - STRIP;
  const bottom = scene.kind === "d-ice" ? slopesEnd - STRIP : slopesEnd;
  const inner = Math.max(1, bottom - TOP - 2 * BREATH);
  const pad = high > low ? ((high - low) * BREATH) / inner : Math.abs(low + base) * 0.05 || 0.5;
  const y = scaleLinear([low - pad, high + pad], [bottom, TOP]);
  const wanted = Math.max(2, Math.floor((bottom - TOP) / 48));
  const { ticks: yTicks, exponent: valueExponent } = valueTicks(
    [low - pad + base, high + pad + base],
    [bottom, TOP],
    wanted,
  );
  const left = Math.max(STRIP_LABEL, labelWidth(yTicks, font) + 12);
  const slotRoom = scene.missing === null ? 0 : SLOT_GAP + SLOT_WIDTH;
  const right = Math.max(left + 40, size.width - Math.max(8, labelRoom) - slotRoom);
  const x = featureScale(curves, [left, right], axisChoice);
  return { axis, slopesEnd, bottom, y, yTicks, valueExponent, left, right, x };
}

export function plotOf(
  scene: Scene,
  colors: ColorsBody | null,
  size: Size,
  theme: Theme,
  range: ValueRange,
  labelRoom: number,
  axisChoice: ViewChoices["axis"],
): Plot {
  const { curves } = scene;
  const { n_lines: nLines } = curves;
  const write = writerOf(curves);
  const setting = { scene, size, font: theme.font, range, labelRoom, axisChoice };
  // Labels of levels need another height, which hardly changes the width that they are fitted to.
  let fit = layOut(setting, AXIS_LABELS);
  let labels: LevelLabels | null = null;
  if (hasLevels(curves.kind)) {
    labels = levelLabels(featureTicks(scene, write, fit.x), fit.x(1) - fit.x(0), theme.font);
    fit = layOut(setting, labels.height);
  }
  const { right, x } = fit;
  const slot = slotOf(scene, right, SLOT_GAP, SLOT_WIDTH);
  const reach = scene.onLevels ? stripReach(nLines, x(1) - x(0)) : 0;
  return {
    ...fit,
    scene,
    size,
    outer: slot?.right ?? right,
    slot,
    reach,
    byRank: isByRank(curves, axisChoice),
    labelRoom,
    shared: range.shared,
    isCut: range.isCut,
    top: TOP,
    write,
    xTicks: featureTicks(scene, write, x),
    levelLabels: labels,
    palette: paletteOf(colors, theme),
    lines: lineSetOf(scene, colors, fit, reach, size.ratio),
    order: fairOrder(nLines),
    thickness: lineThickness(nLines) * size.ratio,
    strength: lineStrength(scene.kind === "d-ice" ? STEP_LINES * nLines : nLines),
  };
}

/** All lines, in an order that makes every prefix a fair sample. */
export function fairOrder(nLines: number): Uint32Array {
  const order = new Uint32Array(nLines).map((_, line) => line);
  return shuffler(randomLcg(0.5))(order);
}

/** The lines of a scene in pixels of the canvas; on levels, the connectors between strips. */
export function lineSetOf(
  scene: Scene,
  colors: ColorsBody | null,
  { x, y, left }: Pick<Plot, "x" | "y" | "left">,
  reach: number,
  ratio: number,
): LineSet {
  const { n_lines: nLines } = scene.curves;
  const px = scene.x.map((value) => (x(value) - left) * ratio);
  const values = toPixels(scene.values, y, ratio);
  const linesX = scene.onLevels ? stripEnds(px, reach * ratio) : px;
  return {
    nLines,
    nPoints: linesX.length,
    x: linesX,
    y: scene.onLevels ? stepValues(values) : values,
    opacity: new Float32Array(nLines * Math.max(0, linesX.length - 1)),
    color: colorValues(colors, nLines),
  };
}

/** Position of a row's dot, in px: at its value, or in the strip next to the axis if missing. */
export function dotX({ x, slot, reach, scene }: Drawable, line: number, value: number): number {
  const place = placeInStrip(scene.curves.positions[line]!);
  if (Number.isNaN(value)) return slot === null ? Number.NaN : slot.at + slot.reach * place;
  return x(value) + reach * place;
}

/** Applies a linear scale without a call per point, which would cost more than drawing. */
function toPixels(values: Float32Array, y: Scale, ratio: number): Float32Array {
  const zero = y(0) * ratio;
  const slope = (y(1) - y(0)) * ratio;
  return values.map((value) => zero + slope * value);
}
