/** The share of the curves whose phantom observation at a value is unlike 99 % of rows, as a strip along the axis. */
import { svg } from "../../../elements/element.ts";
import { fitMarks, markLayer } from "../../../elements/layers.ts";
import { bar } from "../../../marks/histogram.ts";
import { bandPath } from "../../../marks/paths.ts";
import { scaleLinear } from "../../../marks/scale.ts";
import type { Plot } from "../../../plots/plot.ts";
import type { View } from "../../../view/view.ts";
import type { UnlikeBody } from "../../../wire/protocol.ts";
import { hasLevels } from "../../../words/values.ts";
import { clipped } from "../state/clip.ts";
import type { Shown } from "../state/plot_state.ts";

/** Half the width of the bar of a level, as a share of its room. */
const HALF_LEVEL = 0.32;
/** Half the width of the bar of a single value, in px. */
const SINGLE = 14;

export function unlikeLayer(view: View, { plot, unlike }: Shown): SVGSVGElement {
  const layer = markLayer();
  view.keep(
    () => [plot.value, unlike.value] as const,
    ([shown, known]) => {
      layer.replaceChildren();
      if (shown === null || shown.unlike === 0) return;
      const { left, right, size } = shown;
      fitMarks(layer, size);
      const { top, bottom } = unlikeStrip(shown);
      const ends = { x1: left, x2: right };
      layer.append(
        svg("line", { class: "ice-gridline", ...ends, y1: top, y2: top }),
        svg("line", { class: "ice-gridline", ...ends, y1: bottom, y2: bottom }),
      );
      if (known === null) return;
      const within = clipped({ left, right, top, bottom });
      within.append(svg("path", { class: "ice-unlike", d: shape(shown, known), "data-test": "unlike" }));
      layer.append(within);
    },
  );
  return layer;
}

/** Where all and where no phantom observation is unlike 99 % of rows, in px. */
export const unlikeStrip = ({ slopesEnd, rug, unlike }: Plot): { top: number; bottom: number } => ({
  top: slopesEnd + rug + 4,
  bottom: slopesEnd + rug + unlike,
});

function shape(shown: Plot, { grid, shares }: UnlikeBody): string {
  const { top, bottom } = unlikeStrip(shown);
  const height = scaleLinear([0, 1], [bottom, top]);
  const px = grid.map((value) => shown.x(value));
  const areLevels = hasLevels(shown.scene.curves.kind);
  if (!areLevels && px.length > 1) {
    return bandPath(
      px,
      () => bottom,
      (point) => height(shares[point]!),
    );
  }
  const half = areLevels ? HALF_LEVEL * (shown.x(1) - shown.x(0)) : SINGLE;
  return Array.from(px, (at, k) => {
    const share = shares[k]!;
    return share > 0 ? bar(at - half, at + half, bottom, share * (bottom - top)) : "";
  }).join("");
}
