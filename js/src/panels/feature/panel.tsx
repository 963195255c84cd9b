/** The curves of the open feature: the kernel sends them once, and all further changes are drawn from them. */
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { featureAxisTitle, valueTitle } from "../../plot/axis_titles.ts";
import { Brush } from "../../plot/brush.ts";
import { BrushBar } from "../../plot/brush_bar.tsx";
import { useLifetime, useSize } from "../../plot/hooks.ts";
import type { Layout } from "../../plot/layout.ts";
import { linesPerModel } from "../../plot/models.ts";
import { Plot } from "../../plot/plot.tsx";
import { PlotPointer } from "../../plot/pointer.ts";
import type { Pins } from "../../state/pins.ts";
import { explanation } from "../../text/glossary.ts";
import { count, percent, RARE } from "../../text/numbers.ts";
import { ElidedName, explainedBy, flag } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import { AnchorHandle } from "./anchor.tsx";
import { Correlated } from "./correlated.tsx";
import { Crosshair, CrosshairMarks } from "./crosshair.tsx";
import { Drivers } from "./drivers.tsx";
import { Ale, AleRim, GroupMeans, Observed, StripName, Target } from "./layers.tsx";
import { Names, useDirectNames, useNamePlaces } from "./names.tsx";
import { Cover, Notes } from "./notes.tsx";
import { Sentence } from "./sentence.tsx";
import type { Shown } from "./shown.ts";
import { Summary } from "./summary.tsx";

/** The keys that do what the pointer does. */
const KEYS =
  "Enter selects the curve and shows its row. With one row selected, left and right move along its curve. Shift and Enter add the curve to the selection or remove it.";

interface Props {
  shown: Shown;
  /** Rows that a card is about. */
  pins: Pins;
}

/** Parts that other panels make, and where they are: beside the name, and below the curves. */
interface PanelProps extends Props {
  kinds: ComponentChildren;
  decay: ComponentChildren;
  classes: ComponentChildren;
}

export function FeaturePanel({ shown, pins, ...parts }: PanelProps) {
  const { store } = useView();
  const stage = useRef<HTMLDivElement>(null);
  const picture = store.picture.value;
  // Another output is not explained yet.
  const state = picture.state === "ready" && store.isPreparing.value ? "loading" : picture.state;
  const isDirect = useDirectNames(shown);
  const isAbsent = picture.loaded === null;
  const titles = isAbsent ? "ice-plot-titles ice-absent" : "ice-plot-titles";
  useNamePlaces(shown, stage, isDirect);
  return (
    <section class="ice-panel ice-curves" aria-label="Curves of the open feature" data-test="curves" data-state={state}>
      <header class="ice-head">
        <div class="ice-title-row">
          <FeatureTitle />
          <div>{parts.kinds}</div>
        </div>
        <Sentence {...shown} />
      </header>
      <Notes shown={shown} />
      <div class={titles}>
        <ValueTitle shown={shown} />
        <Correlated />
        <Drivers />
      </div>
      <div ref={stage} class="ice-stage">
        <Frame {...{ shown, pins }} isHidden={isAbsent} />
        <Cover />
        <Names {...{ shown, isDirect }} isInStage={true} />
      </div>
      <div class={titles}>
        <UnlikeTitle shown={shown} />
        <FeatureAxisTitle shown={shown} />
      </div>
      {parts.decay}
      <Names {...{ shown, isDirect }} isInStage={false} />
      {parts.classes}
      <Summary {...shown} />
    </section>
  );
}

function FeatureTitle() {
  const { store } = useView();
  const name = store.feature.value;
  return (
    <h3 class={`ice-title ice-parted${name === "" ? " ice-title-none" : ""}`} data-test="feature-title" title={name}>
      <ElidedName name={name || "No feature chosen"} sharedLength={store.partings.value.get(name)} />
    </h3>
  );
}

function ValueTitle({ shown: { drawing } }: { shown: Shown }) {
  const { store } = useView();
  const output = useRef("");
  const layout = drawing.layout.value;
  if (layout === null) return <span class="ice-y-title" data-test="y-title" />;
  const { scene, valueExponent } = layout;
  // Curves of the last class stay until those of the next one are there, and so does its name.
  if (store.picture.value.state !== "loading")
    output.current = scene.models === null ? store.outputName.value : (store.figures.value?.header.output_label ?? "");
  const unit = valueExponent === "" ? "" : ` (${valueExponent})`;
  return (
    <span class="ice-y-title" data-test="y-title">
      {`↑ ${valueTitle(scene, output.current)}${unit}`}
    </span>
  );
}

function FeatureAxisTitle({ shown: { drawing } }: { shown: Shown }) {
  const layout = drawing.layout.value;
  if (layout === null) return <span class="ice-x-title" data-test="x-title" />;
  const { scene, byRank, size, outer } = layout;
  const title = featureAxisTitle(scene.curves);
  const style = { marginRight: `${size.width - outer}px` };
  return (
    <span class="ice-x-title" data-test="x-title" title={scene.curves.feature} style={style}>
      {scene.onLevels ? title : `${title}${byRank ? ", by rank" : ""} →`}
    </span>
  );
}

/** The share of all phantom observations that are unlike the data, in words. */
function UnlikeTitle({ shown: { drawing } }: { shown: Shown }) {
  const { store } = useView();
  const [known, progress] = [drawing.unlike.value, store.unlike.value];
  const { hasKernel } = store.client;
  const problem = progress.state === "error" ? progress.message : "";
  const isWaiting = known === null && progress.state === "computing";
  const { name, text } = explanation("unlike");
  return (
    <span
      {...explainedBy({ name, text: problem || text }, "ice-unlike-title")}
      data-rare={flag(known === null ? isWaiting || !hasKernel : known.share < RARE)}
      data-test="unlike-note"
      hidden={known === null && problem === "" && !isWaiting}
    >
      {`unlike the data here: ${known !== null ? percent(known.share) : isWaiting ? "…" : hasKernel ? "–" : "not saved"}`}
    </span>
  );
}

/** The plot, and what the pointer and the keys do. */
function Frame({ shown, pins, isHidden }: Props & { isHidden: boolean }) {
  const view = useView();
  const { drawing, ale, size } = shown;
  const frame = useRef<HTMLDivElement>(null);
  const crosshair = useMemo(() => new Crosshair(view, drawing), []);
  const brush = useMemo(() => new Brush(view.store, drawing), []);
  useSize(frame, size);
  useLifetime((aborted) => {
    brush.follow(aborted);
    new PlotPointer(frame.current!, view, { drawing, brush, pins, before: crosshair }, aborted);
  });
  const layout = drawing.layout.value;
  return (
    <div
      ref={frame}
      class="ice-plot"
      tabIndex={0}
      role="group"
      aria-roledescription="line chart"
      aria-label={layout === null ? undefined : labelText(layout)}
      aria-description={layout === null ? undefined : KEYS}
      data-test="plot"
      data-dimmed={view.store.selection.value.length > 0 ? "" : undefined}
      hidden={isHidden}
    >
      <Plot
        drawing={drawing}
        under={<Target drawing={drawing} />}
        over={
          <>
            <GroupMeans drawing={drawing} />
            <AleRim drawing={drawing} ale={ale} />
          </>
        }
      >
        <Ale drawing={drawing} ale={ale} />
        <Observed drawing={drawing} pins={pins} />
        <StripName drawing={drawing} />
        <AnchorHandle drawing={drawing} frame={frame} />
        <CrosshairMarks crosshair={crosshair} />
        <BrushBar brush={brush} drawing={drawing} frame={frame} />
      </Plot>
    </div>
  );
}

function labelText({ scene }: Layout): string {
  const { curves, models } = scene;
  const each = models === null ? "" : ` of each of ${count(models.length)} models`;
  const lines = `${curves.feature}: ${count(linesPerModel(scene))} curves${each}`;
  return `${lines}. Arrow keys move from curve to curve, Enter selects, Escape clears.`;
}
