/** What a plot draws. All of its layers read it, each what it needs. */
import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { type Unlike, unlikeOn } from "../state/curves.ts";
import type { Hidden } from "../state/filters.ts";
import type { ColorsBody } from "../wire/protocol.ts";
import type { Groups } from "./groups.ts";
import type { Layout, PlotSize } from "./layout.ts";
import { visibleLines } from "./lines.ts";
import type { Pace } from "./pace.ts";

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
  unlike: ReadonlySignal<Unlike | null>;
  /** The same of the lines and values of the layout. */
  drawnUnlike: ReadonlySignal<Unlike | null>;
  /** The observed target; null where it is not shown. */
  target: ReadonlySignal<Float64Array | null>;
  /** Means of groups of lines, which are drawn in place of the mean. */
  groups: ReadonlySignal<Groups | null>;
  pace: Pace;
  /** Whether the plot is near the view of the page; others are drawn once the curves rest. */
  isNear: () => boolean;
  /** Called after the lines were drawn: how many, and the time that it took in ms. */
  report: (layout: Layout, nLines: number, ms: number) => void;
}

const NOTHING = signal(null);
const NO_LINES = new Uint32Array(0);

type Required = "plotSize" | "layout" | "hidden" | "colors" | "decay" | "pace";

export const makeDrawing = ({
  unlike = NOTHING,
  ...parts
}: Pick<Drawing, Required> & Partial<Omit<Drawing, "drawnUnlike">>): Drawing => ({
  order: computed(() =>
    parts.layout.value === null ? NO_LINES : visibleLines(parts.layout.value, parts.hidden.value),
  ),
  unlike,
  drawnUnlike: computed(() => {
    const scene = parts.layout.value?.scene;
    return scene === undefined || unlike.value === null ? null : unlikeOn(unlike.value, scene.curves);
  }),
  target: NOTHING,
  groups: NOTHING,
  isNear: () => true,
  report: () => {},
  ...parts,
});
