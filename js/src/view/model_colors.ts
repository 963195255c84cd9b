/** The colour of each of several models, as of its curves. */
import { cssColor, levelPalette } from "../plot/geometry/palette.ts";
import type { View } from "./view.ts";

export function modelColorsIn({ store, theme }: View): string[] {
  const names = store.models.value;
  const palette = levelPalette(names.length, false, theme.value.dark ? "dark" : "light");
  return names.map((_, model) => cssColor(palette, model));
}
