/** What the colours of the lines mean: a ramp with its ends, or a swatch per level that switches the level on and off. */
import { plural } from "../format.ts";
import { cssColor } from "../geometry/palette.ts";
import type { Palette } from "../geometry/raster.ts";
import type { CategoryColors, ContinuousColors } from "../protocol.ts";
import { rampEnds } from "../values.ts";
import { html } from "./element.ts";

function missingItem(palette: Palette, nMissing: number): HTMLElement[] {
  if (nMissing === 0) return [];
  const swatch = html("i", { class: "ice-swatch" });
  swatch.style.background = cssColor(palette, Number.NaN);
  return [html("span", { class: "ice-legend-item", "data-test": "legend-missing" }, swatch, `missing (${nMissing})`)];
}

export function rampLegend(scale: ContinuousColors, palette: Palette, nMissing: number): HTMLElement[] {
  const [low, high] = rampEnds(scale);
  const stops = Array.from({ length: 9 }, (_, stop) => cssColor(palette, stop / 8));
  const ramp = html("span", { class: "ice-ramp", "aria-hidden": "true" });
  ramp.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return [
    html("span", { class: "ice-legend-title", title: scale.column }, scale.column),
    html(
      "span",
      { class: "ice-legend-ramp", role: "img", "aria-label": `from ${low} to ${high}` },
      html("span", { title: low }, low),
      ramp,
      html("span", { title: high }, high),
    ),
    ...missingItem(palette, nMissing),
  ];
}

export function levelsLegend(scale: CategoryColors, palette: Palette, nMissing: number): HTMLElement[] {
  const levels = scale.levels.map((level, index) => {
    const swatch = html("i", { class: "ice-swatch" });
    swatch.style.background = cssColor(palette, index);
    return html(
      "button",
      {
        type: "button",
        class: "ice-legend-level",
        "aria-pressed": "true",
        "data-test": "legend-level",
        "data-level": index,
        title: `${level}: ${plural(scale.counts[index] ?? 0, "observation")}. Click to hide or show.`,
      },
      swatch,
      html("span", { class: "ice-legend-label" }, level),
    );
  });
  return [
    html("span", { class: "ice-legend-title", title: scale.column }, scale.column),
    ...levels,
    ...missingItem(palette, nMissing),
  ];
}
