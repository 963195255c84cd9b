/** A scene fitted to a size: scales, margins, and every line in pixels of the canvas. */
import { shuffler } from "d3-array";
import { randomLcg } from "d3-random";
import { scaleLinear } from "d3-scale";
import type { LineColors } from "../../decode.ts";
import { number } from "../../format.ts";
import { distances, segmentOpacity } from "../../geometry/likelihood.ts";
import { levelPalette, plainPalette, rampPalette } from "../../geometry/palette.ts";
import { type LineSet, lineStrength, lineThickness, type Palette } from "../../geometry/raster.ts";
import { stepOpacity } from "../../geometry/transforms.ts";
import { labelWidth, type Scale, type Tick, ticksOf } from "../../marks/axis.ts";
import type { FeatureKind } from "../../protocol.ts";
import type { Theme } from "../../theme.ts";
import { type Scene, standIns } from "./scene.ts";

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
  /** Where the lines end. */
  bottom: number;
  /** Where the strip with the spread of the slopes ends, and the histogram begins; `bottom` where there is none. */
  slopesEnd: number;
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

/** Height of the histogram, and of the spread of the slopes. */
const STRIP = 28;
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

/** Features with no more values than this have a tick for each. */
const FEW_VALUES = 6;

function featureTicks({ curves: { grid } }: Scene, kind: FeatureKind, x: Scale): Tick[] {
  if (kind === "boolean") return Array.from(grid, (value) => ({ at: x(value), label: value === 0 ? "false" : "true" }));
  if (grid.length <= FEW_VALUES) return Array.from(grid, (value) => ({ at: x(value), label: number(value) }));
  const [left = 0, right = 0] = x.range();
  const wanted = Math.max(2, Math.min(10, Math.floor((right - left) / 64)));
  const isWhole = grid.every(Number.isInteger);
  return ticksOf(x, wanted).filter(({ at }) => !isWhole || Number.isInteger(Number(x.invert(at).toFixed(9))));
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

/** The range of the grid. A single value gets room around it; a few stand away from the edges, as categories would. */
function featureDomain(grid: Float64Array): [number, number] {
  const first = grid[0] ?? 0;
  const last = grid[grid.length - 1] ?? 0;
  const share = grid.length === 2 ? 0.12 : grid.length <= FEW_VALUES ? 0.05 : 0;
  const room = last > first ? (last - first) * share : Math.abs(first) * 0.1 || 0.5;
  return [first - room, last + room];
}

export function plotOf(scene: Scene, colors: LineColors | null, kind: FeatureKind, size: Size, theme: Theme): Plot {
  const { curves, base } = scene;
  const axis = size.height - AXIS_LABELS;
  const slopesEnd = axis - STRIP;
  const bottom = scene.kind === "d-ice" ? slopesEnd - STRIP : slopesEnd;
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
    slopesEnd,
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
    const { curves } = plot.scene;
    const { grid, likelihoodScale } = curves;
    this.#distance = distances(grid, standIns(curves), likelihoodScale);
    this.#perInterval = new Float32Array(Math.max(0, grid.length - 1));
  }

  apply(decay: number, order: Uint32Array): void {
    const { scene, lines } = this.plot;
    const nGrid = scene.curves.nGrid;
    const nSegments = Math.max(0, lines.nPoints - 1);
    if (nGrid < 2) {
      lines.opacity.fill(1);
      return;
    }
    for (const line of order) {
      const distance = this.#distance.subarray(line * nGrid, (line + 1) * nGrid);
      const out = lines.opacity.subarray(line * nSegments, (line + 1) * nSegments);
      if (scene.kind !== "d-ice") segmentOpacity(distance, nGrid, decay, out);
      else stepOpacity(segmentOpacity(distance, nGrid, decay, this.#perInterval), nGrid - 1, out);
    }
  }
}
