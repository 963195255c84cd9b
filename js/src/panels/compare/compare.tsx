/** The open feature next to one or two others: the menu that selects them, and their plots. */
import { useId, useMemo, useRef } from "preact/hooks";
import { featureAxisTitle, valueTitle } from "../../plot/axis_titles.ts";
import { Brush } from "../../plot/brush.ts";
import { BrushBar } from "../../plot/brush_bar.tsx";
import { useLifetime, useSize } from "../../plot/hooks.ts";
import { SmallPlot } from "../../plot/plot.tsx";
import { PlotPointer } from "../../plot/pointer.ts";
import type { Pins } from "../../state/pins.ts";
import { explanation, variantsOf } from "../../text/glossary.ts";
import { count } from "../../text/numbers.ts";
import { drawnKind } from "../../text/values.ts";
import { explainedBy, hint } from "../../ui/components.tsx";
import { atEnd, react } from "../../ui/lifetime.ts";
import { useView } from "../../view/use_view.tsx";
import { type Comparison, MOST_OTHERS } from "./comparison.ts";

const FULL = "Up to three features can be compared. Remove one first.";

interface Props {
  comparison: Comparison;
}

/** The menu that selects the compared features. */
export function CompareWith({ comparison }: Props) {
  const { store } = useView();
  const id = useId();
  const others = comparison.others.value;
  const opened = store.feature.value;
  const ranking = store.ranking.value;
  // The options of an open menu stay where they are while the order changes.
  const isComputing = store.status.value.state === "computing";
  const ordered = isComputing ? ranking.toSorted((a, b) => a.index - b.index) : ranking;
  const names = ordered.map(({ name }) => name).filter((name) => name !== opened && !others.includes(name));
  return (
    <label class="ice-entry" hidden={opened === ""}>
      <span>Compare with</span>
      <select
        class="ice-select"
        data-test="compare"
        aria-label="Compare with"
        aria-describedby={id}
        value=""
        onChange={({ currentTarget }) => {
          const name = currentTarget.value;
          if (name !== "") store.remembered.choose("compared", [...others, name]);
          currentTarget.value = "";
        }}
      >
        <option value="">choose …</option>
        {others.length >= MOST_OTHERS ? (
          <option disabled>{FULL}</option>
        ) : (
          names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))
        )}
      </select>
      <span id={id} class="ice-entry-text" data-test="compare-text">
        Shows another feature on the same value axis.
      </span>
    </label>
  );
}

/** The plots, in the place of the large one. */
export function ComparedFeatures({ comparison, pins }: Props & { pins: Pins }) {
  const { store, root, drawNow } = useView();
  const items = useRef<HTMLDivElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  useSize(items, comparison.size);
  const names = comparison.names.value;
  useLifetime((aborted) => {
    react(aborted, () => {
      const known = new Set(store.ranking.value.filter((ranked) => ranked.known).map(({ name }) => name));
      comparison.curves.want(comparison.names.value.filter((name) => known.has(name)));
    });
    atEnd(aborted, () => comparison.curves.want([]));
  });
  /** Compares fewer features; the focus moves to the button that closes the comparison, or to the plot. */
  const reduceTo = (rest: string[]): void => {
    store.remembered.choose("compared", rest);
    drawNow();
    const next = comparison.isOn.peek() ? close.current : root.querySelector<HTMLElement>(".ice-plot");
    next?.focus({ preventScroll: true });
  };
  const areSlopes = store.kind.value === "d-ice";
  return (
    <section class="ice-comparison" aria-label="Compared features" data-test="comparison" hidden={names.length === 0}>
      <div class="ice-compare-head">
        <p class="ice-compare-title" data-test="compare-title">
          {areSlopes ? "Slopes have different units: each plot has its own axis." : "On one value axis"}
        </p>
        <button ref={close} type="button" class="ice-link" data-test="compare-close" onClick={() => reduceTo([])}>
          Close comparison
        </button>
      </div>
      <div ref={items} class="ice-compared-items">
        {names.map((name, place) => (
          <Compared
            key={name}
            {...{ name, comparison, pins }}
            isOpen={place === 0}
            remove={() => reduceTo(comparison.others.peek().filter((each) => each !== name))}
          />
        ))}
      </div>
    </section>
  );
}

interface ComparedProps extends Props {
  name: string;
  pins: Pins;
  isOpen: boolean;
  remove: () => void;
}

/** One of the plots that are compared: that of the open feature, or of another one. */
function Compared({ name, comparison, pins, isOpen, remove }: ComparedProps) {
  const view = useView();
  const { store } = view;
  const body = useRef<HTMLDivElement>(null);
  const [drawing, brush] = useMemo(() => {
    const plot = comparison.draw(name);
    return [plot, new Brush(store, plot)] as const;
  }, []);
  useLifetime((aborted) => {
    brush.follow(aborted);
    new PlotPointer(body.current!, view, { drawing, brush, pins, before: null }, aborted);
  });
  const layout = drawing.layout.value;
  const removeLabel = `Remove ${name} from the comparison`;
  const value =
    layout === null ? "" : `↑ ${valueTitle(layout.scene, store.outputName.value)}${exponentText(layout.valueExponent)}`;
  return (
    <div
      class={isOpen ? "ice-compared ice-compared-open" : "ice-compared"}
      role="group"
      aria-label={name}
      data-test="compared"
      data-feature={name}
      style={{ width: `${comparison.room.value.width}px` }}
    >
      <div class="ice-compared-head">
        <button
          type="button"
          class="ice-compared-name"
          data-test="compared-name"
          {...hint(`Open ${name}.`)}
          onClick={() => store.open(name)}
        >
          {name}
        </button>
        <button
          type="button"
          class="ice-compared-remove"
          aria-label={removeLabel}
          data-test="compared-remove"
          hidden={isOpen}
          {...hint(removeLabel)}
          onClick={remove}
        >
          ×
        </button>
      </div>
      <Facts name={name} />
      <p class="ice-compared-title" data-test="compared-y-title" title={value}>
        {value}
      </p>
      {/* Focusable, so that the focus stays here when a brush with the focus goes. */}
      <div ref={body} class="ice-small-body" tabIndex={-1}>
        <SmallPlot drawing={drawing} hidden={layout === null} height={layout?.size.height ?? 0} />
        <Message name={name} comparison={comparison} hidden={layout !== null} />
        <BrushBar brush={brush} drawing={drawing} frame={body} />
      </div>
      <p class="ice-compared-title ice-compared-axis">
        {layout !== null && `${featureAxisTitle(layout.scene.curves)}${layout.scene.onLevels ? "" : " →"}`}
      </p>
    </div>
  );
}

const exponentText = (exponent: string): string => (exponent === "" ? "" : ` (${exponent})`);

/** Impact and rank. */
function Facts({ name }: { name: string }) {
  const { store } = useView();
  const [ranking, reading] = [store.ranking.value, store.reading.value];
  const feature = ranking.find((ranked) => ranked.name === name);
  const value = feature === undefined ? Number.NaN : (reading?.get(feature.index, "impact") ?? Number.NaN);
  const isKnown = feature?.known && reading !== null && Number.isFinite(value);
  // An empty line keeps the plots side by side.
  if (!isKnown) return <p class="ice-compared-title" data-test="compared-facts" style={{ visibility: "hidden" }} />;
  const variants = variantsOf(feature.kind, reading.figures.header.convention);
  const rank = `rank ${count(feature.rank)} of ${count(ranking.length)}${feature.mayMove ? " so far" : ""}`;
  return (
    <p class="ice-compared-title" data-test="compared-facts">
      <span class="ice-fact">
        <span {...explainedBy(explanation("impact", ...variants))}>impact</span> <b>{reading.column(value)(value)}</b>
      </span>
      {" · "}
      <span {...explainedBy(explanation("rank"))}>{Number.isFinite(feature.value) ? rank : ""}</span>
    </p>
  );
}

/** Why there is no plot. */
function Message({ name, comparison, hidden }: Props & { name: string; hidden: boolean }) {
  const { store } = useView();
  const progress = comparison.curves.get(name);
  const feature = store.ranking.value.find((ranked) => ranked.name === name);
  const isKnown = feature?.known ?? false;
  const hasKind = feature === undefined || drawnKind(store.kind.value, feature.kind) === store.kind.value;
  const hasFailed = progress.state === "error";
  const reason = !hasKind ? "Levels without an order have no slopes." : hasFailed ? progress.message : "…";
  return (
    <p
      class="ice-small-message"
      data-test="compared-message"
      data-state={hasFailed && isKnown ? "error" : undefined}
      hidden={hidden}
    >
      {isKnown ? reason : "Not computed yet."}
    </p>
  );
}
