/** A handle that moves the anchor of centred curves along the grid, by drags and keys. */

import { nearestIndex } from "../../../plot/geometry/transforms.ts";
import { type Drag, followDrag, OWN_DRAG, placeIn } from "../../../plot/gestures/gestures.ts";
import type { Plot } from "../../../plot/plot.ts";
import type { Store } from "../../../state/store.ts";
import { html, update } from "../../../ui/element.ts";
import { hinted } from "../../../ui/explained.ts";
import { listen } from "../../../ui/lifetime.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";

/** Default anchor, the same as in Python. */
const DEFAULT = "min";

const STEPS: Record<string, number> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export function anchorHandle(frame: HTMLElement, view: View, shown: Shown): HTMLElement {
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
  listen(handle, aborted, {
    pointerdown: (event) => followDrag(frame, event, anchorDrag(store, shown, placeIn(frame, event).x), aborted),
    click: (event) => event.stopPropagation(),
    dblclick: () => store.set("anchor", DEFAULT),
    keydown: (event) => {
      const [step, plot] = [STEPS[event.key], shown.plot.peek()];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const value = plot?.scene.anchoredAt ?? null;
      if (plot !== null && value !== null) {
        moveTo(store, shown, plot, nearestIndex(plot.scene.curves.grid, value) + step);
      }
      store.release();
    },
  });
  view.keep(
    () => shown.plot.value,
    (plot) => draw(handle, plot),
  );
  return handle;
}

/** Moves the anchor to a place of the grid, or the nearest one. */
function moveTo(store: Store, { movement }: Shown, { scene }: Plot, place: number): void {
  const { grid } = scene.curves;
  const value = grid[Math.min(grid.length - 1, Math.max(0, place))];
  if (value === undefined || value === scene.anchoredAt) return;
  movement.stir();
  store.dragAnchor(value);
}

/** A press alone moves nothing: the anchor follows the pointer from the first px on. */
function anchorDrag(store: Store, shown: Shown, from: number): Drag {
  const start = store.anchor.peek();
  let hasMoved = false;
  return {
    move({ x }) {
      hasMoved ||= Math.abs(x - from) > 2;
      const plot = shown.plot.peek();
      if (hasMoved && plot !== null) moveTo(store, shown, plot, nearestIndex(plot.scene.curves.grid, plot.x.invert(x)));
    },
    end: () => store.release(),
    cancel() {
      store.dragAnchor(start);
      store.release();
    },
  };
}

function draw(handle: HTMLElement, plot: Plot | null): void {
  const value = plot?.scene.anchoredAt ?? null;
  handle.hidden = value === null;
  if (plot === null || value === null) return;
  const { grid, feature } = plot.scene.curves;
  Object.assign(handle.style, {
    left: `${plot.x(value)}px`,
    top: `${plot.top}px`,
    height: `${plot.bottom - plot.top}px`,
  });
  update(handle, {
    "aria-valuemin": 0,
    "aria-valuemax": grid.length - 1,
    "aria-valuenow": nearestIndex(grid, value),
    "aria-valuetext": `change vs ${feature} = ${plot.write(value)}`,
  });
}
