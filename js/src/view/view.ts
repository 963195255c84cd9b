/** What every panel is given: the store, when to draw, and when to stop. */
import type { ReadonlySignal } from "@preact/signals-core";
import type { Store } from "../state/store.ts";
import type { Frames } from "../ui/frames.ts";
import type { Tooltip } from "../ui/tooltip.ts";
import type { Theme } from "./theme.ts";

export interface View {
  root: HTMLElement;
  store: Store;
  frames: Frames;
  theme: ReadonlySignal<Theme>;
  tooltip: Tooltip;
  /** Aborted when the view is removed; pass it to every listener. */
  aborted: AbortSignal;
  /** Draws in the next frame and whenever a signal that `read` reads changes, until the view is removed. */
  keep<T>(read: () => T, draw: (value: T) => void): void;
  /** Whether this part of the view is not behind a tab. */
  isShown(): boolean;
  /** Draws what has changed at once, in the colours that the style sheet has now. */
  drawNow(): void;
}

/** The same view for a part that may be hidden: while it is, nothing is read and nothing is drawn. */
export function whileShown(view: View, isShown: () => boolean): View {
  return {
    ...view,
    isShown: () => view.isShown() && isShown(),
    keep: (read, draw) =>
      view.keep(
        () => (isShown() ? { value: read() } : null),
        (latest) => {
          if (latest !== null) draw(latest.value);
        },
      ),
  };
}
