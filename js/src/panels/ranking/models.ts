/** Several models in the ranking: their colours, and their figures in the tooltip of a bar. */

import { cssColor, levelPalette } from "../../plot/geometry/palette.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { RANK_LABELS } from "../../text/metric_names.ts";
import type { TooltipRow } from "../../ui/tooltip.ts";
import type { View } from "../../view/view.ts";

/** The colour of each of several models, as of its curves. */
export function modelColorsIn({ store, theme }: View): string[] {
  const names = store.models.value;
  const palette = levelPalette(names.length, false, theme.value.dark ? "dark" : "light");
  return names.map((_, model) => cssColor(palette, model));
}

/** What the tooltip of a bar says of several models: the figures of each, and how far two of them are apart. */
export function modelFacts(view: View, { index, models, apart }: RankedFeature, reading: Reading): TooltipRow[] {
  const [names, metric] = [view.store.models.peek(), view.store.rankBy.peek()];
  if (names.length < 2) return [];
  const colors = modelColorsIn(view);
  const rows = (models ?? []).map(({ value, rank }, model) => ({
    label: `${names[model]}: ${RANK_LABELS[metric]}`,
    value: Number.isFinite(value) ? `${reading.write(value)}, rank ${rank}` : "undefined",
    swatch: colors[model],
  }));
  if (apart === null) return rows;
  const pair = names.length > 2 ? ` of ${apart.map((model) => names[model]).join(" and ")}` : "";
  const value = reading.write(reading.get(index, "disagreement"));
  return [...rows, { label: `${RANK_LABELS.disagreement}${pair}`, value }];
}
