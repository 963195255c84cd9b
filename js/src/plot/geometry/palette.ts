/** Colours of lines, readable with all common kinds of colour vision and visible on the background. */
import type { Palette, Rgb } from "./raster.ts";

export type Theme = "light" | "dark";

/**
 * The ramp as 18 knots, linear in between: viridis (matplotlib's, CC0) from 0 to 0.86 in light, from 0.2 to 1 in dark,
 * because its yellow end is not visible on white and its dark end not on black.
 */
const RAMP_KNOTS: Record<Theme, string> = {
  light:
    "440154 471365 482475 463480 414487 3b528b 34608d 2e6d8e 29798e 25858e 20928c 1f9e89 24aa83 32b67a 48c16e 63cb5f 81d34d a2da37",
  dark: "414487 3b518b 355e8d 306a8e 2b758e 26818e 228c8d 1f978b 1fa287 27ad81 37b878 4cc26c 65cb5e 81d34d a0da39 c0df25 dfe318 fde725",
};

/**
 * Knots of ramps with 0 in the middle, blue below and red above: ColorBrewer's RdBu (Apache 2.0), the other way round. Its
 * middle is as pale as white paper and its ends are as dark as black, so there is a grey in the middle, and where the
 * background is dark the ramp ends at its pale colours.
 */
const DIVERGING_KNOTS: Record<Theme, string> = {
  light: "053061 2166ac 4393c3 92c5de c2c2c2 f4a582 d6604d b2182b 67001f",
  dark: "92c5de 4393c3 606060 d6604d f4a582",
};

/** The six hues of Okabe and Ito that show on both backgrounds, then two more for each. */
const HUES = ["#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9"];
const MORE_HUES: Record<Theme, string[]> = { light: ["#3d1466", "#682c00"], dark: ["#f0e442", "#e6e6e6"] };
/** Levels beyond the eighth: what is lumped together as "other". */
const OTHER: Record<Theme, string> = { light: "#9a9a9a", dark: "#8c8c8c" };
/** Lines whose colour value is missing. */
const MISSING: Record<Theme, string> = { light: "#b4b4b4", dark: "#6e6e6e" };
/** All lines when no feature colours them. */
const PLAIN: Record<Theme, string> = { light: "#3f6d9b", dark: "#8db8e3" };
const PICK: Record<Theme, string> = { light: "#c2410c", dark: "#ffb066" };

/** Red, green and blue of "#rrggbb". */
export function rgbOf(hex: string): Rgb {
  const word = Number.parseInt(hex.slice(1), 16);
  return [word >> 16, (word >> 8) & 255, word & 255];
}

function levels(colors: string[], theme: Theme): Palette {
  return { kind: "levels", colors: new Uint8ClampedArray(colors.flatMap(rgbOf)), missing: rgbOf(MISSING[theme]) };
}

/** 256 colours for a continuous feature. */
export const rampPalette = (theme: Theme): Palette & { kind: "ramp" } => between(RAMP_KNOTS[theme], theme);

/** Whether 0 is in the middle of a ramp, which then has a colour for each sign. */
export const isDiverging = ([low, high]: readonly [number, number]): boolean => low < 0 && low === -high;

/** 256 colours for a ramp with 0 in the middle. */
export const divergingPalette = (theme: Theme): Palette & { kind: "ramp" } => between(DIVERGING_KNOTS[theme], theme);

/** 256 colours, straight between the knots. */
function between(hexes: string, theme: Theme): Palette & { kind: "ramp" } {
  const knots = hexes.split(" ").map((hex) => rgbOf(`#${hex}`));
  const colors = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const u = (i / 255) * (knots.length - 1);
    const k = Math.min(knots.length - 2, Math.floor(u));
    for (let c = 0; c < 3; c++) {
      const lower = knots[k]![c]!;
      colors[3 * i + c] = Math.floor(lower + (knots[k + 1]![c]! - lower) * (u - k) + 0.5);
    }
  }
  return { kind: "ramp", colors, missing: rgbOf(MISSING[theme]) };
}

/** Colours of levels: along a ramp if ordered, distinct hues otherwise. */
export function levelPalette(nLevels: number, ordered: boolean, theme: Theme): Palette & { kind: "levels" } {
  if (ordered) {
    const ramp = rampPalette(theme);
    const colors = new Uint8ClampedArray(nLevels * 3);
    for (let l = 0; l < nLevels; l++) {
      const at = nLevels > 1 ? Math.round((255 * l) / (nLevels - 1)) : 0;
      colors.set(ramp.colors.subarray(3 * at, 3 * at + 3), 3 * l);
    }
    return { kind: "levels", colors, missing: ramp.missing };
  }
  const hues = [...HUES, ...MORE_HUES[theme]];
  const colors = Array.from({ length: nLevels }, (_, l) => hues[l] ?? OTHER[theme]);
  return levels(colors, theme) as Palette & { kind: "levels" };
}

/** One colour for all lines (colour value 0), where no feature is chosen to colour them. */
export function plainPalette(theme: Theme): Palette & { kind: "levels" } {
  return levels([PLAIN[theme]], theme) as Palette & { kind: "levels" };
}

/** The colour of selected lines, where no feature colours them: that of the style sheet's `--ice-pick`. */
export function pickPalette(theme: Theme): Palette & { kind: "levels" } {
  return levels([PICK[theme]], theme) as Palette & { kind: "levels" };
}

/** The colour of a level or of a place on the ramp (0..1) as CSS text; NaN gives the colour of missing values. */
export function cssColor(palette: Palette, value: number): string {
  let rgb: ArrayLike<number> = palette.missing;
  if (!Number.isNaN(value)) {
    const last = palette.colors.length / 3 - 1;
    const at =
      palette.kind === "ramp" ? Math.floor(Math.min(1, Math.max(0, value)) * last + 0.5) : Math.min(last, value);
    rgb = palette.colors.subarray(3 * at, 3 * at + 3);
  }
  return `rgb(${rgb[0]}, ${rgb[1]}, ${rgb[2]})`;
}

/** Below or outside, above or inside. */
const SIDES: Record<Theme, [string, string]> = {
  light: ["#1b5fa8", "#b2182b"],
  dark: ["#6cb2f5", "#ff8573"],
};

/** Of the two sides, and of a third level for what is missing. */
export function splitPalette(theme: Theme): Palette & { kind: "levels" } {
  const { missing } = levelPalette(0, false, theme);
  const colors = new Uint8ClampedArray([...SIDES[theme].flatMap(rgbOf), ...missing]);
  return { kind: "levels", colors, missing };
}
