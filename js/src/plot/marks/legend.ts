/** The legend of the colours: a ramp with its ends, or a button per level that hides and shows its curves. */

import type { Hidden } from "../../state/filters.ts";
import { partings } from "../../text/names.ts";
import { count, plural } from "../../text/numbers.ts";
import { rampEnds } from "../../text/values.ts";
import { html } from "../../ui/element.ts";
import { partedText } from "../../ui/elided_name.ts";
import { hinted } from "../../ui/explained.ts";
import type { CategoryColors, ContinuousColors } from "../../wire/protocol.ts";
import { cssColor, isDiverging } from "../geometry/palette.ts";
import type { Palette } from "../geometry/raster.ts";

function swatchOf(palette: Palette, value: number): HTMLElement {
  const swatch = html("i", { class: "ice-swatch" });
  swatch.style.background = cssColor(palette, value);
  return swatch;
}

const HOW = "Click to hide or show. Double-click or Alt-click to show only this one.";

/** The entry of missing values, which is a button in a legend of levels. */
function missingEntry(palette: Palette, nMissing: number, isButton: boolean): HTMLElement[] {
  if (nMissing === 0) return [];
  const content = [swatchOf(palette, Number.NaN), `missing (${nMissing})`];
  const test = "legend-missing";
  if (isButton) return [hinted(levelButton(Number.NaN, test, content), HOW)];
  return [html("span", { class: "ice-legend-item", "data-test": test }, ...content)];
}

/** A button that hides and shows the curves of a level; NaN are missing values. */
const levelButton = (level: number, test: string, content: (Node | string)[]): HTMLElement =>
  html(
    "button",
    {
      type: "button",
      class: "ice-legend-level",
      "aria-pressed": "true",
      "data-test": test,
      "data-level": String(level),
    },
    ...content,
  );

export function rampLegend(scale: ContinuousColors, palette: Palette, nMissing: number): HTMLElement[] {
  const [low, high] = rampEnds(scale);
  const stops = Array.from({ length: 17 }, (_, stop) => cssColor(palette, stop / 16));
  const zero = isDiverging(scale.domain) ? [html("span", { class: "ice-ramp-zero" }, "0")] : [];
  const ramp = html("span", { class: "ice-ramp" }, ...zero);
  ramp.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return [
    html("span", { class: "ice-legend-title", title: scale.column }, scale.column),
    html(
      "span",
      { class: "ice-legend-ramp", role: "group", "aria-label": `from ${low} to ${high}` },
      html("span", { title: low }, low),
      ramp,
      html("span", { title: high }, high),
    ),
    ...missingEntry(palette, nMissing, false),
  ];
}

/** `drawn` are the numbers of drawn curves per level; null if several plots draw different rows. */
export function levelsLegend(
  scale: CategoryColors,
  palette: Palette,
  nMissing: number,
  drawn: ArrayLike<number> | null,
): HTMLElement[] {
  const parted = partings(scale.levels);
  const levels = scale.levels.map((level, index) => {
    const counts = `${linesOf(drawn?.[index])}${plural(scale.counts[index] ?? 0, "observation")}`;
    const button = levelButton(index, "legend-level", [
      swatchOf(palette, index),
      html("span", { class: "ice-legend-label ice-parted" }, ...partedText(level, parted.get(level))),
      ...(drawn === null ? [] : [html("span", { class: "ice-legend-n" }, ` n = ${count(drawn[index] ?? 0)}`)]),
    ]);
    button.style.setProperty("--ice-line", cssColor(palette, index));
    return hinted(button, `${counts}${drawn === null ? "" : ", and their mean"}. ${HOW}`, level);
  });
  return [
    html("span", { class: "ice-legend-title", title: scale.column }, scale.column),
    ...levels,
    ...missingEntry(palette, nMissing, true),
  ];
}

const linesOf = (n: number | undefined): string => (n === undefined ? "" : `${plural(n, "curve")} of `);

export interface LevelActions {
  toggle: (level: number) => void;
  /** Hides all other levels; shows all if they are hidden already. */
  only: (level: number) => void;
  showAll: () => void;
}

/**
 * Makes a legend hide and show curves. A click toggles a level; a double click, or a click with Alt, shows only that
 * level; a button shows all. Returns a function that updates the legend.
 */
export function filterBy(
  legend: HTMLElement,
  { toggle, only, showAll }: LevelActions,
  signal: AbortSignal,
): (hidden: Hidden) => void {
  const all = html("button", { type: "button", class: "ice-button ice-show-all", "data-test": "show-all" }, "Show all");
  const levelOf = (event: Event): number | null => {
    const level = (event.target as Element).closest<HTMLElement>("[data-level]");
    return level === null ? null : Number(level.dataset.level);
  };
  const listen = (type: "click" | "dblclick", act: (level: number, alt: boolean) => void): void =>
    legend.addEventListener(
      type,
      (event) => {
        const level = levelOf(event);
        if (level !== null) act(level, event.altKey);
      },
      { signal },
    );
  listen("click", (level, alt) => (alt ? only(level) : toggle(level)));
  // The two clicks of a double click have toggled the level twice.
  listen("dblclick", only);
  all.addEventListener(
    "click",
    () => {
      showAll();
      legend.querySelector<HTMLElement>("[tabindex], button")?.focus({ preventScroll: true });
    },
    { signal },
  );
  return (hidden) => {
    if (hidden.size > 0) legend.append(all);
    else all.remove();
    // Buttons are updated, not replaced, so that the pressed one keeps the focus.
    for (const level of legend.querySelectorAll<HTMLElement>("[data-level]")) {
      level.setAttribute("aria-pressed", String(!hidden.has(Number(level.dataset.level))));
    }
  };
}
