/** The open feature for every class of a classifier: small plots of the same rows on one value axis. */
import { useComputed, useSignal } from "@preact/signals";
import { extent } from "d3-array";
import { useEffect, useRef } from "preact/hooks";
import { distances } from "../../plot/geometry/likelihood.ts";
import type { Pace } from "../../plot/pace.ts";
import { standIns } from "../../plot/scene.ts";
import { SmallPlot } from "../../plot/small_plot.tsx";
import { scrollBehavior } from "../../ui/move_to.ts";
import { useView } from "../../view/use_view.tsx";
import type { ClassesBody, CurvesBody, Kind } from "../../wire/protocol.ts";

export function Classes({ pace }: { pace: Pace }) {
  const { store } = useView();
  const panel = useRef<HTMLElement>(null);
  const progress = store.classes.value;
  const isReady = progress?.state === "ready";
  // The plots are below that of the open feature.
  const isNew = useRef(progress === null);
  useEffect(() => {
    if (progress === null) isNew.current = true;
    else if (isReady && isNew.current) {
      isNew.current = false;
      panel.current!.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
    }
  }, [progress === null, isReady]);
  if (progress === null) return null;
  const classes = progress.body;
  const { outputs = [], n_outputs: nOutputs = 0, feature = "" } = classes ?? {};
  const message = progress.state === "error" ? progress.message : "Computing every class …";
  const isPart = outputs.length < nOutputs;
  return (
    <section ref={panel} class="ice-classes" aria-label="All classes" data-test="classes" data-state={progress.state}>
      <p class="ice-classes-head" role="status" data-test="classes-head">
        <span class="ice-classes-title">{classes === null ? message : `${feature} for every class`}</span>
        <span class="ice-classes-more">{isPart && `the ${outputs.length} most probable of ${nOutputs}`}</span>
      </p>
      <ul class="ice-tiles">
        {outputs.map((output, place) => (
          <ClassTile key={output} {...{ output, place, pace }} />
        ))}
      </ul>
    </section>
  );
}

/** With a kernel, its name is a button that explains the class; that of the explained one is marked. */
function ClassTile({ output, place, pace }: { output: string; place: number; pace: Pace }) {
  const { store } = useView();
  const kind = useSignal<Kind>("ice");
  const loaded = useComputed(() => {
    const [classes, open] = [store.classes.value?.body, store.loaded.value?.curves];
    return classes == null || open?.feature !== classes.feature
      ? null
      : { curves: curvesOf(classes, place, open), colors: null };
  });
  const unlike = useComputed(() => store.unlike.value.body);
  const shared = useComputed(() => (store.classes.value?.body ? rangeOf(store.classes.value.body) : null));
  const isOpen = store.output.value === output;
  return (
    <li class="ice-tile" aria-current={isOpen ? "true" : undefined} data-test="class" data-output={output}>
      <div class="ice-tile-head">
        <button
          type="button"
          class="ice-tile-open"
          aria-pressed={isOpen}
          disabled={!store.client.hasKernel}
          data-test="class-open"
          onClick={() => store.setOutput(output)}
        >
          <span title={output}>{output}</span>
        </button>
      </div>
      <SmallPlot {...{ loaded, unlike, kind, shared, pace }} message="" />
    </li>
  );
}

/** Lowest and highest prediction of any class. */
function rangeOf({ values, offsets }: ClassesBody): readonly [number, number] {
  const ends = values.flatMap((curves, at) => extent(curves).map((end) => (end ?? 0) + offsets[at]!));
  const [low = 0, high = 0] = extent(ends);
  return [low, high];
}

/** The curves of a class at some rows and grid values of the open feature, which have the same distances. */
function curvesOf(classes: ClassesBody, place: number, open: CurvesBody): CurvesBody {
  const { n_lines: nLines, n_grid: nGrid, positions, grid, offsets, values, means } = classes;
  const lines = Array.from(positions, (row) => open.positions.indexOf(row));
  const points = Array.from(grid, (value) => open.grid.indexOf(value));
  const away = open.distances ?? distances(open.grid, standIns(open), open.likelihood_scale);
  const ofLines = (each: Float64Array) => Float64Array.from(lines, (line) => each[line] ?? Number.NaN);
  return {
    ...open,
    n_lines: nLines,
    n_grid: nGrid,
    offset: offsets[place]!,
    row_labels: null,
    positions,
    observed: ofLines(open.observed),
    likelihood_scale: ofLines(open.likelihood_scale),
    predictions: new Float32Array(nLines).fill(Number.NaN),
    grid,
    values: values[place]!,
    partial_dependence: means[place]!,
    missing: null,
    distances: Float32Array.from({ length: nLines * nGrid }, (_, z) => {
      const [line, point] = [lines[Math.floor(z / nGrid)]!, points[z % nGrid]!];
      return line < 0 || point < 0 ? 0 : away[line * open.n_grid + point]!;
    }),
    target: null,
    at_own: null,
  };
}
