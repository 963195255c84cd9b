/** The bar of a brush, with ends and a button that work with the keyboard. */
import type { RefObject, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { number, plural } from "../text/numbers.ts";
import { flag, hint, Icon } from "../ui/components.tsx";
import { useView } from "../view/use_view.tsx";
import { type Brush, barPlace, type Grip } from "./brush.ts";
import type { Drawing } from "./drawing.ts";
import { followDrag, OWN_DRAG, placeIn } from "./gestures.ts";

/** Steps of the keys, in px. */
const STEP = 2;
const LONG_STEP = 12;

interface Props {
  brush: Brush;
  drawing: Drawing;
  /** What the places are in px of, and what has the focus when the bar is removed. */
  frame: RefObject<HTMLElement | null>;
}

export function BrushBar({ brush, drawing, frame }: Props) {
  const { aborted, store } = useView();
  const [bar, layout] = [brush.bar.value, drawing.layout.value];
  const { left, top, height } =
    bar === null || layout === null ? { left: 0, top: 0, height: 0 } : barPlace(layout, bar);
  const press = (event: TargetedPointerEvent<HTMLElement>): void => {
    const grip = gripIn(event);
    const drag = grip === undefined ? null : brush.pull(placeIn(frame.current!, event), grip);
    if (drag !== null) followDrag(frame.current!, event, drag, aborted);
  };
  const step = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const grip = gripIn(event);
    const direction = { ArrowUp: -1, ArrowDown: 1, PageUp: -1, PageDown: 1 }[event.key];
    if (direction === undefined || (grip !== "low" && grip !== "high")) return;
    event.preventDefault();
    event.stopPropagation();
    const drag = brush.pull({ x: 0, y: 0 }, grip);
    drag?.move({ x: 0, y: direction * (event.shiftKey || event.key.startsWith("Page") ? LONG_STEP : STEP) });
    drag?.end();
  };
  const remove = (): void => {
    brush.remove();
    frame.current!.focus({ preventScroll: true });
  };
  return (
    <div
      class="ice-brush"
      {...{ [OWN_DRAG]: true }}
      data-test="brush"
      data-far={flag(layout !== null && left > (layout.left + layout.outer) / 2)}
      hidden={bar === null || layout === null}
      style={{ left: `${left}px`, top: `${top}px`, height: `${height}px` }}
      onClick={(event) => event.stopPropagation()} // a click on the bar is not a click on the curve under it
      onPointerDown={press}
      onKeyDown={step}
    >
      <div class="ice-brush-bar" data-grip="bar" data-test="brush-bar" />
      <End end="high" name="Upper" value={bar?.high ?? 0} />
      <End end="low" name="Lower" value={bar?.low ?? 0} />
      <button
        type="button"
        class="ice-brush-remove"
        aria-label="Remove the range"
        data-test="brush-remove"
        {...hint("Remove the range (Escape).")}
        onClick={remove}
      >
        {plural(store.selection.value.length, "row")}
        <Icon name="close" />
      </button>
    </div>
  );
}

const End = ({ end, name, value }: { end: "high" | "low"; name: string; value: number }) => (
  <div
    class={`ice-brush-end ice-brush-${end}`}
    role="slider"
    tabIndex={0}
    aria-orientation="vertical"
    aria-label={`${name} end of the selected range`}
    aria-valuenow={value}
    aria-valuetext={number(value)}
    data-test={`brush-${end}`}
    data-grip={end}
  />
);

const gripIn = ({ target }: Event): Grip | undefined => (target as HTMLElement).dataset.grip as Grip | undefined;
