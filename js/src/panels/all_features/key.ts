/** The legend of the colours of all tiles. */
import { colorLegend } from "../../plot/legend.ts";
import type { Shelf } from "../../state/curve_queue.ts";
import type { Loaded, Store } from "../../state/store.ts";
import type { View } from "../../view/view.ts";

export const colorKey = (view: View, shelf: Shelf): HTMLElement =>
  colorLegend(view, "grid-legend", () => {
    shelf.version.value;
    const { colors = null, colorProblem: problem = null } = firstLoaded(view.store, shelf) ?? {};
    // Rows differ from tile to tile, so nothing is counted.
    return { colors, problem, nMissing: 0, drawn: null };
  });

/** The curves of the first feature in the ranking that has some. */
function firstLoaded({ ranking }: Store, shelf: Shelf): Loaded | null {
  for (const { name } of ranking.peek()) {
    const shelved = shelf.get(name);
    if (shelved.state === "ready") return shelved.loaded;
  }
  return null;
}
