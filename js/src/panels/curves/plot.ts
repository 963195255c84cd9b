/** A scene fitted to a size: scales, margins, and every line in pixels of the canvas. */
import { shuffler } from "d3-array";
import { randomLcg } from "d3-random";
import { scaleLinear } from "d3-scale";
import type { LineColors } from "../../decode.ts";
import { distances, segmentOpacity } from "../../geometry/likelihood.ts";
import { levelPalette, plainPalette, rampPalette } from "../../geometry/palette.ts";
import { type LineSet, lineStrength, lineThickness, type Palette } from "../../geometry/raster.ts";
import { stepOpacity } from "../../geometry/transforms.ts";
import { labelWidth, type Scale, type Tick, ticksOf } from "../../marks/axis.ts";
import type { FeatureKind } from "../../protocol.ts";
import type { Theme } from "../../theme.ts";
import type { Scene } from "./scene.ts";

export interface Size {
  width: number;
  height: number;
  ratio: number;
}

export interface Plot {
  scene: Scene;
  size: Size;
  left: number;
  right: number;
  top: number;
  /** Where the lines end; the histogram hangs between here and `axis`. */
  bottom: number;
  axis: number;
  x: Scale;
  /** From values relative to the scene's base. */
  y: Scale;
  xTicks: Tick[];
  yTicks: Tick[];
  /** "×10⁻⁵" where the labels are written in that unit; mostly empty. */
  valueExponent: string;
  rangeTicks: Tick[];
  palette: Palette;
  lines: LineSet;
  /** All lines, in an order that makes every prefix a fair sample. */
  order: Uint32Array;
  thickness: number;
  strength: number;
}

const HISTOGRAM = 28;
const AXIS_LABELS = 24;
const TOP = 8;
/** Room above and below the outermost line. */
const BREATH = 6;

/** The colour coordinate of each line: 0..1 on the ramp or the index of a level; NaN = missing. */
export function colorValues(colors: LineColors | null, nLines: number): Float32Array {
  if (colors === null) return new Float32Array(nLines);
  const { scale, values } = colors;
  if (scale.kind === "category") return values;
  const [low, high] = scale.domain;
  return values.map((value) =>
    high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : value - value + 0.5,
  );
}

export function paletteOf(colors: LineColors | null, theme: Theme): Palette {
  const shade = theme.dark ? "dark" : "light";
  if (colors === null) return plainPalette(shade);
  if (colors.scale.kind === "continuous") return rampPalette(shade);
  return levelPalette(colors.scale.levels.length, colors.scale.ordered, shade);
}

function featureTicks(scene: Scene, kind: FeatureKind, x: Scale): Tick[] {
  const { grid } = scene.curves;
  const whole = grid.every(Number.isInteger);
  if (kind === "boolean") return Array.from(grid, (value) => ({ at: x(value), label: value === 0 ? "false" : "true" }));
  const [left = 0, right = 0] = x.range();
  const wanted = Math.max(2, Math.min(8, Math.floor((right - left) / 72)));
  if (grid.length <= Math.min(6, wanted)) {
    const write = x.tickFormat(grid.length);
    return Array.from(grid, (value) => ({
      at: x(value),
      label: grid.length === 1 || !whole ? String(value) : write(value),
    }));
  }
  const ticks = ticksOf(x, wanted);
  return whole ? ticks.filter(({ at }) => Number.isInteger(Number(x.invert(at).toFixed(9)))) : ticks;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Ticks of the value axis. Where labels would be mostly zeros, they are written in a power of ten. */
function valueTicks(domain: [number, number], range: [number, number], wanted: number) {
  const size = Math.max(Math.abs(domain[0]), Math.abs(domain[1]));
  const power = size > 0 && (size < 1e-3 || size >= 1e6) ? Math.floor(Math.log10(size)) : 0;
  const scale = scaleLinear()
    .domain(domain.map((value) => value / 10 ** power))
    .range(range);
  const digits = Array.from(String(Math.abs(power)), (digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return { ticks: ticksOf(scale, wanted), exponent: power === 0 ? "" : `×10${power < 0 ? "⁻" : ""}${digits}` };
}

const withoutSignOfZero = ({ at, label }: Tick): Tick => ({ at, label: label.replace(/^\+(0(\.0*)?%)$/, "$1") });

function featureDomain(grid: Float64Array): [number, number] {
  const first = grid[0] ?? 0;
  const last = grid[grid.length - 1] ?? 0;
  const half = last > first ? 0 : Math.abs(first) * 0.1 || 0.5;
  return [first - half, last + half];
}

export function plotOf(scene: Scene, colors: LineColors | null, kind: FeatureKind, size: Size, theme: Theme): Plot {
  const { curves, base } = scene;
  const axis = size.height - AXIS_LABELS;
  const bottom = axis - HISTOGRAM;
  const [low, high] = scene.extent;
  const pad =
    high > low ? ((high - low) * BREATH) / Math.max(1, bottom - TOP - 2 * BREATH) : Math.abs(low + base) * 0.05 || 0.5;
  const y = scaleLinear()
    .domain([low - pad, high + pad])
    .range([bottom, TOP]);
  const wanted = Math.max(2, Math.floor((bottom - TOP) / 48));
  const { ticks: yTicks, exponent } = valueTicks([low - pad + base, high + pad + base], [bottom, TOP], wanted);

  const [lowest, highest] = curves.predictionRange;
  const centred = scene.kind === "c-ice" && highest > lowest;
  const share = scaleLinear()
    .domain(y.domain().map((value) => value / (highest - lowest)))
    .range(y.range());
  const rangeTicks = centred ? ticksOf(share, wanted, "+%").map(withoutSignOfZero) : [];

  const left = Math.max(24, labelWidth(yTicks, theme.font) + 12);
  const right = Math.max(left + 40, size.width - (centred ? labelWidth(rangeTicks, theme.font) + 12 : 8));
  const x = scaleLinear().domain(featureDomain(curves.grid)).range([left, right]);

  const { ratio } = size;
  const nPoints = scene.x.length;
  const lines: LineSet = {
    nLines: curves.nLines,
    nPoints,
    x: scene.x.map((value) => (x(value) - left) * ratio),
    y: toPixels(scene.values, y, ratio),
    opacity: new Float32Array(curves.nLines * Math.max(0, nPoints - 1)),
    color: colorValues(colors, curves.nLines),
  };
  const order = new Uint32Array(curves.nLines).map((_, line) => line);
  return {
    scene,
    size,
    left,
    right,
    top: TOP,
    bottom,
    axis,
    x,
    y,
    xTicks: featureTicks(scene, kind, x),
    yTicks,
    valueExponent: exponent,
    rangeTicks,
    palette: paletteOf(colors, theme),
    lines,
    order: shuffler(randomLcg(0.5))(order),
    thickness: lineThickness(curves.nLines) * ratio,
    strength: lineStrength(curves.nLines),
  };
}

/** A linear scale written out: a call per point would cost more than drawing it. */
function toPixels(values: Float32Array, y: Scale, ratio: number): Float32Array {
  const zero = y(0) * ratio;
  const slope = (y(1) - y(0)) * ratio;
  return values.map((value) => zero + slope * value);
}

/** Fades the segments of some lines by their likelihood at this decay. */
export class Fade {
  readonly #distance: Float32Array;
  readonly #perInterval: Float32Array;

  constructor(private readonly plot: Plot) {
    const { grid, observed, likelihoodScale } = plot.scene.curves;
    this.#distance = distances(grid, observed, likelihoodScale);
    this.#perInterval = new Float32Array(Math.max(0, grid.length - 1));
  }

  apply(decay: number, order: Uint32Array): void {
    const { scene, lines } = this.plot;
    const nGrid = scene.curves.nGrid;
    const nSegments = Math.max(0, lines.nPoints - 1);
    if (nSegments === 0) return;
    for (const line of order) {
      const distance = this.#distance.subarray(line * nGrid, (line + 1) * nGrid);
      const out = lines.opacity.subarray(line * nSegments, (line + 1) * nSegments);
      if (scene.kind !== "d-ice") segmentOpacity(distance, nGrid, decay, out);
      else stepOpacity(segmentOpacity(distance, nGrid, decay, this.#perInterval), nGrid - 1, out);
    }
  }
}
