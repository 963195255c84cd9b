/** The share of the curves whose phantom observation at a value is unlike 99 % of rows, over the histogram of the data. */

import { bar } from "../../../plot/marks/histogram.ts";
import { bandPath } from "../../../plot/marks/paths.ts";
import { scaleLinear } from "../../../plot/marks/scale.ts";
import type { Plot } from "../../../plot/plot.ts";
import { explanation } from "../../../text/glossary.ts";
import { percent } from "../../../text/numbers.ts";
import { hasLevels } from "../../../text/values.ts";
import { html, setText, svg } from "../../../ui/element.ts";
import { explained } from "../../../ui/explained.ts";
import { fitMarks, markLayer } from "../../../ui/layers.ts";
import type { View } from "../../../view/view.ts";
import type { UnlikeBody } from "../../../wire/protocol.ts";
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
      if (shown === null || known === null) return;
      const { left, right, size, slopesEnd, axis } = shown;
      fitMarks(layer, size);
      const within = clipped({ left, right, top: slopesEnd, bottom: axis });
      within.append(svg("path", { class: "ice-unlike", d: shape(shown, known), "data-test": "unlike" }));
      layer.append(within);
    },
  );
  return layer;
}

/** The share of all phantom observations, in words. */
export function unlikeTitle({ store, keep }: View, { unlike }: Shown): HTMLElement {
  const title = explained(
    html("span", { class: "ice-unlike-title", "data-test": "unlike-note" }),
    explanation("unlike"),
  );
  keep(
    () => [unlike.value, store.unlike.value] as const,
    ([known, progress]) => {
      const problem = progress.state === "error" ? progress.message : "";
      title.hidden = known === null && problem === "";
      setText(title, `unlike any row here: ${known === null ? "–" : percent(known.share)}`);
      const { name, text } = explanation("unlike");
      explained(title, { name, text: known === null ? problem : `${known.summary}\n${text}` });
    },
  );
  return title;
}

function shape(shown: Plot, { grid, shares }: UnlikeBody): string {
  const { slopesEnd, axis: bottom } = shown;
  const height = scaleLinear([0, 1], [bottom, slopesEnd + 4]);
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
    return share > 0 ? bar(at - half, at + half, bottom, bottom - height(share)) : "";
  }).join("");
}
