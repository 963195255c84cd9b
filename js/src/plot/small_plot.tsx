/** One of several plots of curves on the same value axis: a feature, or a class. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { useMemo, useRef } from "preact/hooks";
import type { Loaded, Unlike } from "../state/curves.ts";
import { spanTexts } from "../text/dates.ts";
import { percent, plural, RARE } from "../text/numbers.ts";
import { isUnordered } from "../text/values.ts";
import { useView } from "../view/use_view.tsx";
import type { Kind } from "../wire/protocol.ts";
import { makeDrawing } from "./drawing.ts";
import { useSize } from "./hooks.ts";
import { type Layout, layOut } from "./layout.ts";
import type { Pace } from "./pace.ts";
import { Plot } from "./plot.tsx";
import { thinnedScene } from "./scene.ts";
import { plainRange } from "./value_range.ts";

/** Narrower frames are not laid out yet. */
const LEAST_WIDTH = 60;

interface Props {
  loaded: ReadonlySignal<Pick<Loaded, "curves" | "colors"> | null>;
  unlike: ReadonlySignal<Unlike | null>;
  kind: ReadonlySignal<Kind>;
  /** The values that all of the plots show; null where each has its own axis. */
  shared: ReadonlySignal<readonly [number, number] | null>;
  pace: Pace;
  isNear?: () => boolean;
  /** What is said in place of the plot; "" shows it. */
  message: string;
  hasFailed?: boolean;
}

export function SmallPlot({ message, hasFailed = false, ...props }: Props) {
  const { store, theme } = useView();
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const drawing = useMemo(() => {
    const { loaded, unlike, kind, shared, pace, isNear = () => true } = props;
    const curves = computed(() => loaded.value?.curves ?? null);
    const width = computed(() => size.value.width);
    const scene = computed(() => {
      if (curves.value === null || width.value < LEAST_WIDTH) return null;
      return thinnedScene(curves.value, kind.value, store.anchor.value, width.value);
    });
    const layout = computed(() => {
      if (scene.value === null || loaded.value === null) return null;
      const { extent, base } = scene.value;
      const ends = [...extent, ...(shared.value ?? []).map((end) => end - base)];
      const range = plainRange(Math.min(...ends), Math.max(...ends));
      const setting = { plotSize: "small", size: size.value, theme: theme.value, range } as const;
      return layOut(scene.value, loaded.value.colors, setting);
    });
    const { hiddenOfOpen: hidden, decay } = store;
    const colors = computed(() => loaded.value?.colors ?? null);
    return makeDrawing({ plotSize: "small", layout, hidden, decay, colors, unlike, pace, isNear });
  }, []);
  const layout = drawing.layout.value;
  const share = props.unlike.value?.share ?? 0;
  return (
    <div class="ice-small" aria-hidden={message === ""}>
      <div
        ref={frame}
        class="ice-small-frame"
        data-dimmed={store.selection.value.length > 0 ? "" : undefined}
        hidden={message !== ""}
      >
        <Plot drawing={drawing} />
      </div>
      {message === "" && layout !== null && <AxisEnds layout={layout} />}
      <p class="ice-small-unlike" data-test="small-unlike" hidden={message !== ""}>
        {share >= RARE && `unlike the data: ${percent(share)}`}
      </p>
      <p
        class="ice-small-message"
        data-test="small-message"
        data-state={hasFailed ? "error" : undefined}
        hidden={message === ""}
      >
        {message}
      </p>
    </div>
  );
}

/** The ends of the axis, in full on hover. Levels without an order have none. */
function AxisEnds({ layout: { scene, left, right, size, write } }: { layout: Layout }) {
  const { grid, kind, clock, n_grid: nGrid } = scene.curves;
  const ends: [number, number] = [grid[0]!, grid[grid.length - 1]!];
  const texts = kind === "datetime" ? spanTexts(ends, clock) : Array.from(grid.length > 1 ? ends : grid, write);
  const [first = "", last = ""] = isUnordered(kind) ? [plural(nGrid, "level")] : texts;
  return (
    <div
      class="ice-small-below"
      title={isUnordered(kind) ? "" : texts.join(" – ")}
      style={{ marginLeft: `${left}px`, marginRight: `${size.width - right}px` }}
    >
      <span class="ice-small-end">{first}</span>
      <span class="ice-small-end">{last}</span>
    </div>
  );
}
