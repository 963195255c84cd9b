/** What a plot draws. All of its layers read it, each what it needs. */
import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Hidden } from "../state/filters.ts";
import type { ColorsBody, UnlikeBody } from "../wire/protocol.ts";
import type { Groups } from "./groups.ts";
import type { Layout, PlotSize } from "./layout.ts";
import { type Pace, visibleLines } from "./lines.ts";
import type { Movement } from "./movement.ts";

export interface Drawing {
  plotSize: PlotSize;
  layout: ReadonlySignal<Layout | null>;
  /** Lines that are drawn; every prefix is a fair sample. */
  order: ReadonlySignal<Uint32Array>;
  /** Levels that the legend hides. */
  hidden: ReadonlySignal<Hidden>;
  /** The colours of the legend, which selected lines have as well; null where all lines have one. */
  colors: ReadonlySignal<ColorsBody | null>;
  /** The weight of far values, by which curves fade. */
  decay: ReadonlySignal<number>;
  /** Which phantom observations are unlike 99 % of rows, where curves end there; null while that is not known. */
  unlike: ReadonlySignal<UnlikeBody | null>;
  /** The observed target; null where it is not shown. */
  target: ReadonlySignal<Float64Array | null>;
  /** Means of groups of lines, which are drawn in place of the mean. */
  groups: ReadonlySignal<Groups | null>;
  movement: Movement;
  pace: Pace;
  /** Whether the plot is near the view of the page; others are drawn once the curves rest. */
  isNear: () => boolean;
  /** Called after the lines were drawn: how many, and the time that it took in ms. */
  report: (layout: Layout, nLines: number, ms: number) => void;
}

const NOTHING = signal(null);
const NO_LINES = new Uint32Array(0);

type Required = "plotSize" | "layout" | "hidden" | "colors" | "decay" | "movement" | "pace";

export const makeDrawing = (parts: Pick<Drawing, Required> & Partial<Drawing>): Drawing => ({
  order: computed(() =>
    parts.layout.value === null ? NO_LINES : visibleLines(parts.layout.value, parts.hidden.value),
  ),
  unlike: NOTHING,
  target: NOTHING,
  groups: NOTHING,
  isNear: () => true,
  report: () => {},
  ...parts,
});
