/** A scene fitted to a size: scales, margins, and every line in pixels of the canvas. */
import { shuffler } from "d3-array";
import { randomLcg } from "d3-random";
import { isSplit } from "../state/two_sides.ts";
import { dateTicks, unitOf } from "../text/dates.ts";
import { columnFormat, number, separatesThousands, tickExponents } from "../text/numbers.ts";
import { hasLevels, writerOf } from "../text/values.ts";
import type { Size } from "../view/size.ts";
import type { Theme } from "../view/theme.ts";
import type { ColorsBody, ViewChoices } from "../wire/protocol.ts";
import { FEW_VALUES, featureScale, isByRank } from "./feature_scale.ts";
import { placeInStrip, stripEnds, stripReach } from "./geometry/levels.ts";
import {
  divergingPalette,
  isDiverging,
  levelPalette,
  plainPalette,
  rampPalette,
  splitPalette,
} from "./geometry/palette.ts";
import { type LineSet, lineStrength, lineThickness, type Palette } from "./geometry/raster.ts";
import { stepValues } from "./geometry/transforms.ts";
import { type LevelLabels, labelWidth, levelLabels, type Tick, ticksOf } from "./marks/axis.ts";
import { type Scale, scaleLinear } from "./marks/scale.ts";
import type { Scene } from "./scene.ts";
import type { ValueRange } from "./value_range.ts";

/** The plot of the open feature, or one of several small ones. */
export type PlotSize = "large" | "small";

/** In px. */
interface Measures {
  top: number;
  /** Height of the histogram. */
  strip: number;
  /** Distance and width of the strip of missing values. */
  slotGap: number;
  slotWidth: number;
  /** Room above and below the outermost line. */
  breath: number;
  /** Room left of the curves at least, and between labels and curves. */
  left: number;
  labelGap: number;
  right: number;
  least: number;
  /** Share of the values below which their range is the rounding of float32, and the same of slopes. */
  flat: [number, number];
}

const MEASURES: Record<PlotSize, Measures> = {
  large: {
    top: 8,
    strip: 28,
    slotGap: 14,
    slotWidth: 48,
    breath: 6,
    left: 36, // room for the names of the strips
    labelGap: 12,
    right: 8,
    least: 40,
    flat: [0, 0], // small effects on a large output are shown
  },
  small: {
    top: 6,
    strip: 14,
    slotGap: 8,
    slotWidth: 18,
    breath: 3,
    left: 28,
    labelGap: 10,
    right: 2,
    least: 20,
    flat: [1e-5, 1e-3],
  },
};
/** Height of labels under the axis. */
const AXIS_LABELS = 24;
/** A step curve inks about as many pixels as this many other curves. */
const STEP_LINES = 4;

/** A strip of dots next to the axis. */
export interface Slot {
  left: number;
  right: number;
  at: number;
  reach: number;
}

export interface Layout {
  scene: Scene;
  size: Size;
  range: ValueRange;
  left: number;
  right: number;
  /** The right end of everything drawn: `right`, or the end of the strip of missing values. */
  outer: number;
  /** The strip for missing values, next to the axis. */
  slot: Slot | null;
  /** Half the width of the strip of a level's dots; 0 if they are in one line. */
  reach: number;
  top: number;
  /** Where the lines end, and the histogram begins. */
  bottom: number;
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
  /** Ticks under the axis; none where its ends are labelled, or nothing. */
  xTicks: Tick[];
  /** How the ticks are written where they are levels. */
  levelLabels: LevelLabels | null;
  yTicks: Tick[];
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

export function choosePalette(colors: ColorsBody | null, theme: Theme): Palette {
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
  const atValues = (values: Iterable<number>) => Array.from(values, (value) => ({ at: x(value), label: write(value) }));
  if (grid.length <= FEW_VALUES || kind === "boolean" || hasLevels(kind)) return atValues(grid);
  const ticks = roundTicks(curves, x);
  return ticks.length > 1 ? ticks : atValues([grid[0]!, grid[grid.length - 1]!]);
}

/** Ticks at round values, of which there may be a single one. */
function roundTicks({ grid, kind, clock }: FeatureValues, x: Scale): Tick[] {
  const [left = 0, right = 0] = x.range();
  const length = Math.abs(right - left);
  if (kind === "datetime") {
    const wanted = Math.max(2, Math.floor(length / 84));
    const ticks = dateTicks(x.domain(), wanted, clock);
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
function valueTicks(domain: [number, number], range: [number, number], wanted: number) {
  const size = Math.max(Math.abs(domain[0]), Math.abs(domain[1]));
  const power = size > 0 && (size < 1e-3 || size >= 1e6) ? Math.floor(Math.log10(size)) : 0;
  const scale = scaleLinear(times(domain, 10 ** -power), range);
  const digits = Array.from(String(Math.abs(power)), (digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return { ticks: ticksOf(scale, wanted), exponent: power === 0 ? "" : `×10${power < 0 ? "⁻" : ""}${digits}` };
}

/** What a scene is laid out for. */
interface Setting {
  plotSize: PlotSize;
  size: Size;
  theme: Theme;
  range: ValueRange;
  axisChoice?: ViewChoices["axis"];
  labelRoom?: number;
}

/** Ticks where the lines end, or where the shared axis does; one where the range is rounding. */
function endTicks([low, high]: [number, number], isFlat: boolean, y: (value: number) => number): Tick[] {
  if (isFlat) return [{ at: y(low), label: number(low) }];
  const write = columnFormat(10 * (high - low)); // two digits of their difference
  return [low, high].map((value) => ({ at: y(value), label: write(value) }));
}

/** Axes and margins of a plot whose axis labels have this height. */
function fitAxes(scene: Scene, setting: Setting, labelsHeight: number) {
  const { curves, base, kind } = scene;
  const { size, theme, range, labelRoom = 0, axisChoice = "auto", plotSize } = setting;
  const { top, strip, slotGap, slotWidth, breath, left: leastLeft, ...room } = MEASURES[plotSize];
  const { low, high } = range;
  const axis = size.height - labelsHeight;
  const bottom = axis - strip;
  const ends: [number, number] = [low + base, high + base];
  const flat = room.flat[kind === "d-ice" ? 1 : 0]!;
  const isFlat = high - low <= flat * Math.max(Math.abs(ends[0]), Math.abs(ends[1]));
  const inner = Math.max(1, bottom - top - 2 * breath);
  const pad = isFlat ? Math.abs(ends[0]) * 0.05 || 0.5 : ((high - low) * breath) / inner;
  const y = scaleLinear([low - pad, high + pad], [bottom, top]);
  const { ticks, exponent: valueExponent } =
    plotSize === "large"
      ? valueTicks([ends[0] - pad, ends[1] + pad], [bottom, top], Math.max(2, Math.floor((bottom - top) / 48)))
      : { ticks: endTicks(ends, isFlat, (value) => y(value - base)), exponent: "" };
  const left = Math.max(leastLeft, labelWidth(ticks, theme.font) + room.labelGap);
  const slotRoom = scene.missing === null ? 0 : slotGap + slotWidth;
  const right = Math.max(left + room.least, size.width - Math.max(room.right, labelRoom) - slotRoom);
  const slotLeft = right + slotGap;
  const slot: Slot | null = scene.missing && {
    left: slotLeft,
    right: slotLeft + slotWidth,
    at: slotLeft + slotWidth / 2,
    reach: stripReach(curves.n_lines, slotWidth),
  };
  const x = featureScale(curves, [left, right], axisChoice);
  return { axis, bottom, top, y, yTicks: ticks, valueExponent, left, right, slot, x };
}

export function layOut(scene: Scene, colors: ColorsBody | null, setting: Setting): Layout {
  const { curves } = scene;
  const { n_lines: nLines } = curves;
  const { size, theme, plotSize, axisChoice = "auto" } = setting;
  const write = writerOf(curves);
  const isLarge = plotSize === "large";
  let fit = fitAxes(scene, setting, isLarge ? AXIS_LABELS : 1);
  let labels: LevelLabels | null = null;
  // Labels of levels need another height, which hardly changes the width that they are fitted to.
  if (isLarge && hasLevels(curves.kind)) {
    labels = levelLabels(featureTicks(scene, write, fit.x), fit.x(1) - fit.x(0), theme.font);
    fit = fitAxes(scene, setting, Math.max(AXIS_LABELS, labels.height));
  }
  const { right, x, slot } = fit;
  const reach = scene.onLevels ? stripReach(nLines, x(1) - x(0)) : 0;
  const isStepped = isLarge && scene.kind === "d-ice";
  return {
    ...fit,
    scene,
    size,
    range: setting.range,
    outer: slot?.right ?? right,
    reach,
    byRank: isByRank(curves, axisChoice),
    labelRoom: setting.labelRoom ?? 0,
    write,
    xTicks: isLarge ? featureTicks(scene, write, x) : [],
    levelLabels: labels,
    palette: choosePalette(colors, theme),
    lines: lineSetOf(scene, colors, fit, reach, size.ratio),
    order: fairOrder(nLines),
    thickness: lineThickness(nLines) * size.ratio,
    strength: lineStrength(isStepped ? STEP_LINES * nLines : nLines),
  };
}

/** All lines, in an order that makes every prefix a fair sample. */
export function fairOrder(nLines: number): Uint32Array {
  const order = new Uint32Array(nLines).map((_, line) => line);
  return shuffler(randomLcg(0.5))(order);
}

/** The lines of a scene in pixels of the canvas; on levels, the connectors between strips. */
function lineSetOf(
  scene: Scene,
  colors: ColorsBody | null,
  { x, y, left }: Pick<Layout, "x" | "y" | "left">,
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
export function dotX(
  { x, slot, reach, scene }: Pick<Layout, "x" | "slot" | "reach" | "scene">,
  line: number,
  value: number,
): number {
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
