import { describe, expect, it } from "vitest";
import {
  cssColor,
  divergingPalette,
  isDiverging,
  levelPalette,
  plainPalette,
  rampPalette,
  splitPalette,
  type Theme,
} from "../../../src/plot/geometry/palette.ts";
import type { Palette, Rgb } from "../../../src/plot/geometry/raster.ts";

const BACKGROUND: Record<Theme, Rgb> = { light: [255, 255, 255], dark: [17, 17, 17] };

function luminance([r, g, b]: Rgb): number {
  const linear = (c: number) => (c <= 10.31 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const colorsOf = (palette: Palette): Rgb[] =>
  Array.from({ length: palette.colors.length / 3 }, (_, i) => [...palette.colors.slice(3 * i, 3 * i + 3)] as Rgb);

describe.each(["light", "dark"] as const)("on a %s background", (theme) => {
  it("the ramp stands out over its whole length and grows lighter all along", () => {
    const colors = colorsOf(rampPalette(theme));
    expect(colors).toHaveLength(256);
    for (const color of colors) expect(contrast(color, BACKGROUND[theme])).toBeGreaterThan(1.6);
    for (let i = 8; i < 256; i += 8) expect(luminance(colors[i]!)).toBeGreaterThan(luminance(colors[i - 8]!));
  });

  it("a ramp with 0 in the middle is grey there, blue below and red above, and its signs stand apart", () => {
    const colors = colorsOf(divergingPalette(theme));
    const outwards = theme === "light" ? -1 : 1;
    for (const color of colors) expect(contrast(color, BACKGROUND[theme])).toBeGreaterThan(1.6);
    for (let i = 8; i < 128; i += 8) {
      const [below, above] = [colors[127 - i]!, colors[128 + i]!];
      expect(below[2]).toBeGreaterThan(below[0]);
      expect(above[0]).toBeGreaterThan(above[2]);
      expect(outwards * (luminance(below) - luminance(colors[135 - i]!))).toBeGreaterThan(0);
      expect(outwards * (luminance(above) - luminance(colors[120 + i]!))).toBeGreaterThan(0);
    }
    const [red, green, blue] = colors[128]!;
    expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThan(4);
  });

  it("levels stand out, and no two of them are the same", () => {
    for (const ordered of [true, false]) {
      const colors = colorsOf(levelPalette(ordered ? 6 : 9, ordered, theme));
      expect(new Set(colors.map(String)).size).toBe(colors.length);
      for (const color of colors) expect(contrast(color, BACKGROUND[theme])).toBeGreaterThan(1.6);
    }
  });

  it("the colours of two sides have the contrast of text", () => {
    for (const side of colorsOf(splitPalette(theme)).slice(0, 2)) {
      expect(contrast(side, BACKGROUND[theme])).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("the colours of missing values and of uncoloured lines are not those of a level", () => {
    const palette = levelPalette(9, false, theme);
    const colors = colorsOf(palette).map(String);
    expect(colors).not.toContain(String(palette.missing));
    expect(colors).not.toContain(String(colorsOf(plainPalette(theme))[0]));
  });
});

it.each([
  [[-2, 2], true],
  [[0, 0], false],
  [[-2, 3], false],
  [[1, 2], false],
] as const)("whether 0 is in the middle of %j: %s", (domain, isMiddle) => {
  expect(isDiverging([...domain])).toBe(isMiddle);
});

it("a colour of the page is that of level 0, of an end of the ramp also beyond it, or of missing values", () => {
  const levels = levelPalette(3, false, "light");
  expect([0, Number.NaN].map((level) => cssColor(levels, level))).toEqual(["rgb(0, 114, 178)", "rgb(180, 180, 180)"]);
  const ramp = rampPalette("light");
  expect([0, -3].map((place) => cssColor(ramp, place))).toEqual(["rgb(68, 1, 84)", "rgb(68, 1, 84)"]);
  expect(cssColor(ramp, 7)).toBe(cssColor(ramp, 1));
});
