/** The open feature for every class of a classifier: small plots of the same rows on one value axis. */
import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { extent } from "d3-array";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { makeDrawing } from "../../plot/drawing.ts";
import { useSize } from "../../plot/hooks.ts";
import { layOut } from "../../plot/layout.ts";
import { Pace } from "../../plot/lines.ts";
import { Movement } from "../../plot/movement.ts";
import { SmallPlot } from "../../plot/plot.tsx";
import { type Scene, sceneOf } from "../../plot/scene.ts";
import { plainRange } from "../../plot/value_range.ts";
import { followClasses } from "../../state/class_curves.ts";
import type { Progress } from "../../state/feed.ts";
import { columnFormat } from "../../text/numbers.ts";
import { scrollBehavior } from "../../ui/move_to.ts";
import { useView } from "../../view/use_view.tsx";
import type { ClassesBody } from "../../wire/protocol.ts";

/** Height of a plot, in px. */
const HEIGHT = 72;

/** What all plots share. The last curves stay while others are computed. */
function useClasses(): Props {
  const { store, aborted, frames } = useView();
  return useMemo(() => {
    const progress = followClasses(store, aborted);
    let last: ClassesBody | null = null;
    const classes = computed(() => {
      const { state, body } = progress.value ?? { state: "error", body: null };
      if (body !== null) last = body;
      return body ?? (state === "error" ? null : last);
    });
    return { progress, classes, movement: new Movement(store, aborted), pace: new Pace(frames) };
  }, []);
}

interface Props {
  progress: ReadonlySignal<Progress<ClassesBody> | null>;
  classes: ReadonlySignal<ClassesBody | null>;
  movement: Movement;
  pace: Pace;
}

export function Classes() {
  const { store } = useView();
  const props = useClasses();
  const panel = useRef<HTMLElement>(null);
  const classes = props.classes.value;
  const progress = props.progress.value;
  const ending = progress?.state === "ready" || progress?.state === "error" ? progress.state : "loading";
  const state = progress === null ? "off" : ending;
  const isChosen = store.remembered.of("classes").value;
  const isReady = state === "ready";
  const isNew = useRef(!isChosen);
  // The plots are below that of the open feature.
  useEffect(() => {
    if (!isChosen) isNew.current = true;
    else if (isReady && isNew.current) {
      isNew.current = false;
      panel.current!.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
    }
  }, [isChosen, isReady]);
  const isWaiting = state === "loading" && classes === null;
  const message = progress?.state === "error" ? progress.message : isWaiting ? "Computing every class …" : "";
  const domain = useMemo(() => (classes === null ? ([0, 1] as const) : domainOver(classes)), [classes]);
  const write = columnFormat(Math.max(...domain.map(Math.abs)));
  const { outputs = [], n_outputs: nOutputs = 0, feature = "" } = classes ?? {};
  return (
    <section
      ref={panel}
      class="ice-classes"
      aria-label="All classes"
      data-test="classes"
      data-state={state}
      hidden={state === "off"}
    >
      <p class="ice-classes-head">
        <span class="ice-classes-title">{`${feature} for every class`}</span>
        <span class="ice-classes-more" data-test="classes-more">
          {outputs.length < nOutputs && `the ${outputs.length} most probable of ${nOutputs}`}
        </span>
      </p>
      <p class="ice-classes-message" role="status" data-test="classes-message" hidden={message === ""}>
        {message}
      </p>
      <div class="ice-classes-row" hidden={classes === null}>
        <div class="ice-classes-scale" aria-hidden="true">
          <span>{write(domain[1])}</span>
          <span>{write(domain[0])}</span>
        </div>
        <div class="ice-classes-cards" role="group" aria-label="Classes">
          {outputs.map((output, place) => (
            <Card key={output} {...props} output={output} place={place} />
          ))}
        </div>
      </div>
    </section>
  );
}

/** Lowest and highest prediction of any class. */
function domainOver({ values, offsets }: ClassesBody): readonly [number, number] {
  const ends = values.flatMap((curves, at) => extent(curves).map((end) => (end ?? 0) + offsets[at]!));
  const [low = 0, high = 0] = extent(ends);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

interface CardProps extends Props {
  output: string;
  place: number;
}

/** With a kernel, a button that explains its class; that of the explained output is marked. */
function Card({ output, ...props }: CardProps) {
  const { store } = useView();
  const isOpen = store.output.value === output;
  const attributes = {
    class: "ice-class",
    "data-output": output,
    "data-open": isOpen ? "" : undefined,
    "data-test": "class",
  };
  const content = (
    <>
      <span class="ice-class-name" title={output}>
        {output}
      </span>
      <ClassPlot {...props} />
    </>
  );
  if (!store.client.hasKernel) return <div {...attributes}>{content}</div>;
  return (
    <button type="button" {...attributes} aria-pressed={isOpen} onClick={() => store.setOutput(output)}>
      {content}
    </button>
  );
}

const NOTHING_HIDDEN = signal({ size: 0, has: () => false });
/** The curves of other classes do not fade. */
const NO_DECAY = signal(1);

function ClassPlot({ classes, place, movement, pace }: Omit<CardProps, "output">) {
  const { theme } = useView();
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const drawing = useMemo(() => {
    const scene = computed(() => classes.value && sceneAt(classes.value, place));
    const layout = computed(() => {
      const { width, ratio } = size.value;
      if (classes.value === null || scene.value === null || width === 0) return null;
      const { base } = scene.value;
      const [low, high] = domainOver(classes.value).map((end) => end - base) as [number, number];
      const range = plainRange(low, high);
      const room = { width, height: HEIGHT, ratio };
      return layOut(scene.value, null, { plotSize: "class", size: room, theme: theme.value, range });
    });
    const none = { hidden: NOTHING_HIDDEN, colors: signal(null), decay: NO_DECAY };
    return makeDrawing({ plotSize: "class", layout, ...none, movement, pace });
  }, []);
  return <SmallPlot drawing={drawing} frame={frame} name="ice-class-picture" />;
}

/** The curves of a class, which come without observed values: all of them count alike. */
function sceneAt(classes: ClassesBody, place: number): Scene {
  const { feature, kind, n_lines: nLines, n_grid: nGrid, positions, grid, offsets, values, means } = classes;
  const unknown = new Float64Array(nLines).fill(Number.NaN);
  const curves = {
    feature,
    kind,
    levels: null,
    n_lines: nLines,
    n_grid: nGrid,
    n_observations: nLines,
    offset: offsets[place]!,
    prediction_range: [0, 0] as [number, number],
    row_labels: null,
    median: Number.NaN,
    clock: [],
    positions,
    observed: unknown,
    likelihood_scale: unknown,
    predictions: Float32Array.from(unknown),
    grid,
    values: values[place]!,
    partial_dependence: means[place]!,
    histogram_edges: new Float64Array(0),
    histogram_counts: new Float64Array(0),
    missing: null,
    distances: new Float32Array(nLines * nGrid),
    target: null,
    at_own: null,
  };
  return sceneOf(curves, "ice", "min");
}
