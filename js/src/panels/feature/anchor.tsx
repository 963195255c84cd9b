/** A handle that moves the anchor of centred curves along the grid, by drags and keys. */
import type { RefObject, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import type { Drawing } from "../../plot/drawing.ts";
import { nearestIndex } from "../../plot/geometry/transforms.ts";
import { type Drag, followDrag, OWN_DRAG, placeIn } from "../../plot/gestures.ts";
import type { Layout } from "../../plot/layout.ts";
import type { Store } from "../../state/store.ts";
import { hint } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";

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

export function AnchorHandle({ drawing, frame }: { drawing: Drawing; frame: RefObject<HTMLElement | null> }) {
  const { store, aborted } = useView();
  const layout = drawing.layout.value;
  const value = layout?.scene.anchoredAt ?? null;
  if (layout === null || value === null) return <div data-test="anchor-handle" hidden />;
  const { x, top, bottom, write } = layout;
  const { grid, feature } = layout.scene.curves;
  const press = (event: TargetedPointerEvent<HTMLElement>): void =>
    followDrag(frame.current!, event, anchorDrag(store, drawing, placeIn(frame.current!, event).x), aborted);
  const step = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    moveTo(store, layout, nearestIndex(grid, value) + by);
    store.release();
  };
  return (
    <div
      class="ice-anchor-handle"
      role="slider"
      tabIndex={0}
      aria-label="Anchor"
      aria-valuemin={0}
      aria-valuemax={grid.length - 1}
      aria-valuenow={nearestIndex(grid, value)}
      aria-valuetext={`change vs ${feature} = ${write(value)}`}
      data-test="anchor-handle"
      {...{ [OWN_DRAG]: true }}
      {...hint("Drag to move the anchor, where all curves are 0. Double-click to reset it.")}
      style={{ left: `${x(value)}px`, top: `${top}px`, height: `${bottom - top}px` }}
      onPointerDown={press}
      onClick={(event) => event.stopPropagation()}
      onDblClick={() => store.set("anchor", DEFAULT)}
      onKeyDown={step}
    />
  );
}

/** Moves the anchor to a place of the grid, or the nearest one. */
function moveTo(store: Store, { scene }: Layout, place: number): void {
  const { grid } = scene.curves;
  const value = grid[Math.min(grid.length - 1, Math.max(0, place))];
  if (value === undefined || value === scene.anchoredAt) return;
  store.drag("anchor", value);
}

/** A press alone moves nothing: the anchor follows the pointer from the first px on. */
function anchorDrag(store: Store, drawing: Drawing, from: number): Drag {
  const start = store.anchor.peek();
  let hasMoved = false;
  return {
    move({ x }) {
      hasMoved ||= Math.abs(x - from) > 2;
      const layout = drawing.layout.peek();
      if (!hasMoved || layout === null) return;
      moveTo(store, layout, nearestIndex(layout.scene.curves.grid, layout.x.invert(x)));
    },
    end: () => store.release(),
    cancel() {
      store.drag("anchor", start);
      store.release();
    },
  };
}
