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
  /** Draws what has changed at once, in the colours that the style sheet has now. */
  drawNow(): void;
}
