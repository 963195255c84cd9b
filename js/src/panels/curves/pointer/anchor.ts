/** The place where centred curves are held together, as a handle on its rule: dragged, or moved by keys, along the grid. */

import { html, update } from "../../../elements/element.ts";
import { hinted } from "../../../elements/explained.ts";
import { listen } from "../../../elements/lifetime.ts";
import { nearestIndex } from "../../../geometry/transforms.ts";
import { followDrag, OWN_DRAG, placeIn } from "../../../gestures/gestures.ts";
import type { Plot } from "../../../plots/plot.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";

/** Default anchor, the same as in Python. */
const DEFAULT = "min";

export function anchorHandle(frame: HTMLElement, view: View, { plot, zoom }: Shown): HTMLElement {
  const { store, aborted } = view;
  const handle = html("div", {
    class: "ice-anchor-handle",
    role: "slider",
    tabindex: 0,
    "aria-label": "Anchor",
    "data-test": "anchor-handle",
    [OWN_DRAG]: true,
  });
  hinted(handle, "Drag to move the anchor, where all curves are 0. Double-click to reset it.");

  const hold = (shown: Plot, at: number): void => {
    const { grid } = shown.scene.curves;
    const value = grid[Math.min(grid.length - 1, Math.max(0, at))];
    if (value === undefined || value === shown.scene.anchoredAt) return;
    zoom.stir();
    store.dragAnchor(value);
  };
  const step = (by: number): void => {
    const shown = plot.peek();
    if (shown === null || shown.scene.anchoredAt === null) return;
    hold(shown, nearestIndex(shown.scene.curves.grid, shown.scene.anchoredAt) + by);
  };

  listen(handle, aborted, {
    pointerdown: (event) => {
      const start = store.anchor.peek();
      const drag = {
        move({ x }: { x: number }): void {
          const shown = plot.peek();
          if (shown !== null) hold(shown, nearestIndex(shown.scene.curves.grid, shown.x.invert(x)));
        },
        end: () => store.release(),
        cancel() {
          store.dragAnchor(start);
          store.release();
        },
      };
      // A press alone moves nothing: only from where the pointer is does a drag tell a place.
      const from = placeIn(frame, event).x;
      let moved = false;
      const after = {
        ...drag,
        move(at: { x: number; y: number }): void {
          moved ||= Math.abs(at.x - from) > 2;
          if (moved) drag.move(at);
        },
      };
      followDrag(frame, event, after, aborted);
    },
    click: (event) => event.stopPropagation(),
    dblclick: (event) => {
      event.stopPropagation();
      store.setAnchor(DEFAULT);
    },
    keydown: (event) => {
      const by = {
        ArrowRight: 1,
        ArrowUp: 1,
        ArrowLeft: -1,
        ArrowDown: -1,
        PageUp: 10,
        PageDown: -10,
        Home: Number.NEGATIVE_INFINITY,
        End: Number.POSITIVE_INFINITY,
      }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      step(by);
      store.release();
    },
  });

  view.keep(
    () => plot.value,
    (shown) => {
      const value = shown?.scene.anchoredAt ?? null;
      const at = shown === null || value === null ? Number.NaN : shown.x(value);
      handle.hidden = shown === null || value === null || !(at >= shown.left - 0.5 && at <= shown.right + 0.5);
      if (shown === null || value === null || handle.hidden) return;
      const { grid, feature } = shown.scene.curves;
      Object.assign(handle.style, { left: `${at}px`, top: `${shown.top}px`, height: `${shown.bottom - shown.top}px` });
      update(handle, {
        "aria-valuemin": 0,
        "aria-valuemax": grid.length - 1,
        "aria-valuenow": nearestIndex(grid, value),
        "aria-valuetext": `change vs ${feature} = ${shown.write(value)}`,
      });
    },
  );
  return handle;
}
