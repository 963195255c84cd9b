/** Two colours that are distinct with every common kind of colour vision, with the contrast of text. */

import { levelPalette, rgbOf, type Theme } from "./palette.ts";
import type { Palette } from "./raster.ts";

/** Below or outside, above or inside. */
export const SIDES: Record<Theme, [string, string]> = {
  light: ["#1b5fa8", "#b2182b"],
  dark: ["#6cb2f5", "#ff8573"],
};

/** Of the two sides, and of a third level for what is missing. */
export function splitPalette(theme: Theme): Palette & { kind: "levels" } {
  const { missing } = levelPalette(0, false, theme);
  const colors = new Uint8ClampedArray([...SIDES[theme].flatMap(rgbOf), ...missing]);
  return { kind: "levels", colors, missing };
}
