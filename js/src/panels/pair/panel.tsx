/** The heat map of two features, in the place of the curves: the partial dependence on both, and where data are. */
import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { featureAxisTitle } from "../../plot/axis_titles.ts";
import { isDiverging } from "../../plot/geometry/palette.ts";
import { placeIn } from "../../plot/gestures.ts";
import { useKept, useSize } from "../../plot/hooks.ts";
import { Ramp } from "../../plot/legend.tsx";
import { BottomAxis, LeftAxis } from "../../plot/marks/axes.tsx";
import { fitted } from "../../plot/marks/axis.ts";
import { MarkLayer, PixelLayer } from "../../plot/plot.tsx";
import type { Progress } from "../../state/feed.ts";
import type { Pair } from "../../state/joint.ts";
import { explanation } from "../../text/glossary.ts";
import { count, number, percent, plural } from "../../text/numbers.ts";
import { explainedBy, Icon } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { ContinuousColors, TwoWay } from "../../wire/protocol.ts";
import { boxOf, type Cell, cellAt, type HeatPlot, heatPlotOf, indexOf } from "./heat_plot.ts";
import { paintHeat } from "./painter.ts";

const LEAST_WIDTH = 80;

export function PairPanel() {
  const { store, theme } = useView();
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const [pair, progress] = [store.pair.value, store.joint.twoWay.value];
  const heat = useComputed(() => {
    const twoWay = store.joint.twoWay.value?.body ?? null;
    return twoWay === null || size.value.width < LEAST_WIDTH ? null : heatPlotOf(twoWay, size.value, theme.value);
  });
  const twoWay = progress?.body ?? null;
  const plot = heat.value;
  const output = store.outputName.value;
  if (pair === null || progress === null) return null;
  return (
    <section
      class="ice-panel ice-pair"
      aria-label="Heat map of two features"
      data-test="pair-panel"
      data-state={progress.state}
    >
      <header class="ice-head">
        <div class="ice-title-row">
          <h3 class="ice-title" data-test="pair-title">
            {`${pair.first} × ${pair.second}`}
          </h3>
          <button type="button" class="ice-button" data-test="pair-back" onClick={() => store.closePair()}>
            <Icon name="before" />
            Back to curves
          </button>
        </div>
        <p class="ice-sentence" data-test="pair-sentence">
          {twoWay !== null && sentence(twoWay, output)}
        </p>
      </header>
      <div class="ice-plot-titles">
        <span class="ice-y-title" data-test="heat-y-title">
          {twoWay !== null && `↑ ${featureAxisTitle(twoWay.second)}`}
        </span>
      </div>
      <div class="ice-stage">
        <HeatMap frame={frame} plot={plot} hidden={twoWay === null} />
        <Cover pair={pair} progress={progress} />
      </div>
      <div class="ice-plot-titles">
        <p class="ice-key">
          <span class="ice-key-item">
            <span {...explainedBy(explanation("two_way"))}>partial dependence</span>
          </span>
          <KeyItem mark="observation" name="observation" hidden={false} />
          <KeyItem mark="bare" name="no observation near" hidden={plot?.twoWay.near.every((n) => n > 0) ?? false} />
        </p>
        <span class="ice-x-title" data-test="heat-x-title">
          {twoWay !== null && `${featureAxisTitle(twoWay.first)} →`}
        </span>
      </div>
      <div
        class="ice-legend"
        role="group"
        aria-label="Colours"
        hidden={twoWay === null}
        data-diverging={plot === null ? undefined : String(isDiverging(plot.domain))}
      >
        {plot !== null && <Ramp scale={scaleFor(plot, output)} palette={plot.palette} nMissing={0} />}
      </div>
    </section>
  );
}

const KeyItem = ({ mark, name, hidden }: { mark: string; name: string; hidden: boolean }) => (
  <span class="ice-key-item" data-test={`key-${mark}`} hidden={hidden}>
    <i class={`ice-key-${mark}`} />
    {name}
  </span>
);

const scaleFor = ({ domain }: HeatPlot, column: string): ContinuousColors => ({
  column,
  kind: "continuous",
  of: "numeric",
  domain: [...domain],
  median: 0,
  levels: null,
  clock: [],
});

/** What is said in place of the heat map, and how far it is computed. */
function Cover({ pair, progress }: { pair: Pair; progress: Progress<TwoWay> }) {
  const { store } = useView();
  const { state, share } = progress;
  const computed = share > 0 ? ` ${percent(share)}` : "";
  return (
    <div class="ice-message" hidden={state === "ready"}>
      <p class="ice-message-text" aria-live="polite" data-test="pair-message">
        {state === "error" ? progress.message : `Computing ${pair.first} × ${pair.second} …${computed}`}
      </p>
      <progress
        class="ice-progress"
        aria-label="Heat map computed"
        max={1}
        value={share}
        hidden={state !== "computing"}
      />
      <button
        type="button"
        class="ice-button"
        data-test="pair-retry"
        hidden={state !== "error" || !store.client.hasKernel}
        onClick={() => store.joint.retryPair()}
      >
        Try again
      </button>
    </div>
  );
}

interface HeatProps {
  frame: { current: HTMLDivElement | null };
  plot: HeatPlot | null;
  hidden: boolean;
}

function HeatMap({ frame, plot, hidden }: HeatProps) {
  const { store, tooltip, theme } = useView();
  /** The cell under the pointer, or the one that the arrow keys reached, of the plot at that time. */
  const pointed = useSignal<{ plot: HeatPlot; cell: Cell } | null>(null);
  const cell = pointed.value !== null && pointed.value.plot === plot ? pointed.value.cell : null;
  const show = (shown: HeatPlot, next: Cell, isSpoken: boolean): void => {
    pointed.value = { plot: shown, cell: next };
    const { x, y, twoWay } = shown;
    const at = indexOf(shown, next);
    const near = twoWay.near[at]!;
    const { left, top } = frame.current!.getBoundingClientRect();
    const box = boxOf(shown, next);
    const anchor = new DOMRect(left + box.left, top + box.top, box.width, box.height);
    const rows = [
      { label: y.of.feature, value: y.write(y.of.grid[next.j]!) },
      { label: store.outputName.peek(), value: number(twoWay.values[at]!) },
      { label: "observations near", value: `${count(near)} of ${count(twoWay.n_observations)}` },
    ];
    const note = near === 0 ? "No observation is like this: the model extrapolates." : null;
    tooltip.show(`${x.of.feature} ${x.write(x.of.grid[next.i]!)}`, rows, anchor, isSpoken, note);
  };
  const leave = (): void => {
    if (pointed.peek() === null) return;
    pointed.value = null;
    tooltip.hide();
  };
  const follow = (event: PointerEvent): void => {
    const { x, y } = placeIn(frame.current!, event);
    const next = plot === null ? null : cellAt(plot, x, y);
    if (plot === null || next === null) leave();
    else show(plot, next, false);
  };
  const press = (event: KeyboardEvent): void => {
    // The latest one: keys may be pressed several times between two drawings.
    const latest = pointed.peek();
    const cell = latest !== null && latest.plot === plot ? latest.cell : null;
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Escape") {
      if (cell === null) return;
      leave();
    } else if (plot === null || step === undefined) return;
    else show(plot, cellAfter(plot, cell, step as [number, number]), true);
    event.preventDefault();
  };
  const { first, second } = plot?.twoWay ?? {};
  return (
    <div
      ref={frame}
      class="ice-heat"
      tabIndex={0}
      role="group"
      aria-roledescription="heat map"
      aria-label={
        plot === null
          ? undefined
          : `${first!.feature} across, ${second!.feature} up. Arrow keys go from one pair of values to the next.`
      }
      data-test="heat"
      hidden={hidden}
      onPointerMove={follow}
      onPointerLeave={leave}
      onBlur={leave}
      onKeyDown={press}
    >
      {plot !== null && <Cells plot={plot} />}
      {plot !== null && <Axes plot={plot} font={theme.value.font} />}
      {plot !== null && <MarkLayer size={plot.size}>{cell !== null && <Rings plot={plot} cell={cell} />}</MarkLayer>}
    </div>
  );
}

/** The next cell in a direction, inside of the map; the one in the middle at first. */
function cellAfter({ twoWay }: HeatPlot, cell: Cell | null, [right, up]: [number, number]): Cell {
  const [n, m] = [twoWay.first.grid.length, twoWay.second.grid.length];
  const within = (value: number, last: number): number => Math.min(Math.max(value, 0), last);
  return cell === null
    ? { i: Math.floor(n / 2), j: Math.floor(m / 2) }
    : { i: within(cell.i + right, n - 1), j: within(cell.j + up, m - 1) };
}

function Cells({ plot }: { plot: HeatPlot }) {
  const { theme } = useView();
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = useSignal(plot);
  shown.value = plot;
  useKept(
    () => [shown.value, theme.value] as const,
    ([drawn, colors]) => {
      const pen = canvas.current?.getContext("2d");
      if (pen) paintHeat(pen, drawn, colors);
    },
  );
  return <PixelLayer node={canvas} test="heat-cells" />;
}

function Axes({ plot, font }: { plot: HeatPlot; font: string }) {
  const { x, y, left, right, bottom, size, levelLabels: labels } = plot;
  const ticks = y.ticks.map(({ at, label }) => ({ at, label: fitted(label, left - 12, font) }));
  return (
    <MarkLayer size={size} name="heat-axes">
      <LeftAxis ticks={ticks} left={left} right={left} />
      <BottomAxis {...{ labels, left, right, font }} ticks={x.ticks} width={size.width} top={bottom} />
    </MarkLayer>
  );
}

/** The edge of a cell, with paper around it. */
function Rings({ plot, cell }: { plot: HeatPlot; cell: Cell }) {
  const { left: x, top: y, width, height } = boxOf(plot, cell);
  return (
    <>
      <rect {...{ x, y, width, height }} class="ice-heat-case" />
      <rect {...{ x, y, width, height }} class="ice-heat-ring" data-test="heat-ring" />
    </>
  );
}

function sentence({ first, second, n_rows: nRows, n_observations: nObservations }: TwoWay, output: string): string {
  const rows = nRows < nObservations ? `${count(nRows)} of ${plural(nObservations, "row")}` : plural(nRows, "row");
  return `Mean ${output} with ${first.feature} and ${second.feature} replaced, over ${rows}.`;
}
