/** The mean curve of each coloured group. */

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { type GroupMean, groupMeans } from "../../../plot/geometry/crossing.ts";
import { cssColor } from "../../../plot/geometry/palette.ts";
import { fadingPaths } from "../../../plot/marks/paths.ts";
import { linesPerModel } from "../../../plot/models.ts";
import { colorValues, type Plot } from "../../../plot/plot.ts";
import type { ModelMean, Scene } from "../../../plot/scene.ts";
import { svg } from "../../../ui/element.ts";
import { fitMarks, markLayer } from "../../../ui/layers.ts";
import type { View } from "../../../view/view.ts";
import type { UnlikeBody } from "../../../wire/protocol.ts";
import { clipOf, clipped } from "../state/clip.ts";
import type { Shown } from "../state/plot_state.ts";

/** Groups are drawn side by side within this share of a level's width. */
const DODGE = 0.5;
const RADIUS = 4;

export interface Groups {
  means: GroupMean[];
  /** Their means beside the axis. */
  beside: GroupMean[] | null;
}

/** Means of all curves of each model, or of the drawn lines by level of the colouring column; null without either. */
export function groupsOf({ loaded, plot }: Shown): ReadonlySignal<Groups | null> {
  const scene = computed(() => plot.value?.scene ?? null);
  return computed(() => {
    const colors = loaded.value?.colors ?? null;
    const shown = scene.value;
    if (shown !== null && shown.models !== null) return ofModels(shown, shown.models);
    if (colors === null || shown === null || colors.scale.kind !== "category") return null;
    if (colors.values.length !== shown.curves.n_lines) return null;
    const levels = colorValues(colors, shown.curves.n_lines);
    const n = colors.scale.levels.length;
    return {
      means: groupMeans(shown.values, shown.x.length, levels, n),
      beside: shown.missing === null ? null : groupMeans(shown.missing.values, 1, levels, n),
    };
  });
}

/** In the order of the colours. */
function ofModels(shown: Scene, models: readonly ModelMean[]): Groups {
  const n = linesPerModel(shown);
  const inOrder = [...models].sort((a, b) => a.model - b.model);
  return {
    means: inOrder.map(({ mean }) => ({ values: mean, n })),
    beside: shown.missing === null ? null : inOrder.map(({ missing }) => ({ values: Float32Array.of(missing!), n })),
  };
}

export function groupsLayer(view: View, { plot, unlike }: Shown, groups: ReadonlySignal<Groups | null>): SVGSVGElement {
  const layer = markLayer();
  view.keep(
    () =>
      [
        plot.value,
        groups.value,
        view.store.hiddenLevels.value,
        view.store.decay.value < 1 ? unlike.value : null,
      ] as const,
    ([shown, known, hidden, flagged]) => {
      layer.replaceChildren();
      if (shown === null || known === null) return;
      fitMarks(layer, shown.size);
      const within = clipped(clipOf(shown));
      layer.append(within);
      const shares = flagged === null ? null : unlikeByGroup(shown, flagged, known.means.length);
      const visible = [...known.means.keys()].filter((group) => known.means[group]!.n > 0 && !hidden.has(group));
      for (const [place, group] of visible.entries()) {
        const mark = svg("g", { class: "ice-group", "data-test": "group-mean", "data-level": group });
        mark.style.setProperty("--ice-line", cssColor(shown.palette, group));
        const aside = ((place + 0.5) / visible.length - 0.5) * DODGE;
        mark.append(...meanOf(shown, known.means[group]!, aside, shares?.[group]?.values ?? null));
        within.append(mark);
        const missing = known.beside?.[group]?.values[0];
        if (shown.slot === null || missing === undefined) continue;
        const dot = svg(
          "g",
          { class: "ice-group" },
          dotAt(shown.slot.at + aside * (shown.slot.right - shown.slot.left), shown.y(missing)),
        );
        dot.style.setProperty("--ice-line", cssColor(shown.palette, group));
        within.append(dot);
      }
    },
  );
  return layer;
}

/** The share of the curves of each group that is unlike the data, at each value. */
const unlikeByGroup = ({ lines }: Plot, { flags, grid }: UnlikeBody, nGroups: number): GroupMean[] =>
  groupMeans(Float32Array.from(flags), grid.length, lines.color, nGroups);

const dotAt = (cx: number, cy: number): SVGElement => svg("circle", { cx, cy, r: RADIUS });

/** A line; on levels a dot for each, beside those of the other groups. */
function meanOf(
  { scene, x, y }: Plot,
  { values }: GroupMean,
  aside: number,
  shares: Float32Array | null,
): SVGElement[] {
  const height = (point: number) => y(values[point]!);
  if (!scene.onLevels) {
    const px = scene.x.map((value) => x(value));
    return fadingPaths(px, height, shares);
  }
  const room = x(1) - x(0);
  return Array.from(scene.x, (value, point) => dotAt(x(value) + aside * room, height(point)));
}
