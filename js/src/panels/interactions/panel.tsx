/** How far features act together: pairs and features by size, computed when the tab is opened. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Progress } from "../../state/feed.ts";
import { explanation } from "../../text/glossary.ts";
import { count, plural } from "../../text/numbers.ts";
import { Button, Term } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { InteractionsBody } from "../../wire/protocol.ts";
import { type JointRow, JointRows } from "./rows.tsx";

/** An interaction whose size is less than this share of the standard deviation of the predictions matters little. */
const LEAST_SHARE_OF_SD = 0.01;

const WAITING = "Interactions can be computed when all features are.";

/** `scrollToCurves` shows what is opened, where that is not next to the list. */
export function Interactions({ scrollToCurves }: { scrollToCurves: () => void }) {
  const { figures, joint, remembered, status } = useView().store;
  const isShown = remembered.of("left").value === "interactions";
  const isComplete = figures.value !== null && status.value.state !== "computing";
  // Not while features are computed, whose interactions these are. After Cancel, a button resumes.
  useLayoutEffect(() => {
    if (isShown && isComplete) joint.start();
  }, [isShown, isComplete]);
  const { state, body } = joint.interactions.value;
  return (
    <section
      class="ice-panel ice-interactions"
      aria-label="Interactions"
      data-test="interactions"
      data-state={isShown ? state : undefined}
    >
      <header class="ice-head">
        <p class="ice-interactions-key">
          <Term of={explanation("interaction_size")}>Size</Term>: standard deviation of the interaction.{" "}
          <Term of={explanation("h2")}>H²</Term>: its share of the joint effect.
        </p>
      </header>
      {isShown && body !== null && <Result body={body} scrollToCurves={scrollToCurves} />}
      {isShown && <Computation />}
    </section>
  );
}

/** Pairs and features, as far as they are computed. */
function Result({ body, scrollToCurves }: { body: InteractionsBody; scrollToCurves: () => void }) {
  const { store } = useView();
  const [pair, feature] = [store.pair.value, store.feature.value];
  const { pairs, features } = rowsOf(body, store.figures.value?.header.prediction_sd ?? null);
  const isComplete = body.done === body.total;
  const longest = Math.max(0, ...[...pairs, ...features].map(({ effect }) => effect));
  const open = ({ names: [first, second] }: JointRow): void => {
    if (second === undefined) store.open(first!);
    else store.openPair(first!, second);
    scrollToCurves();
  };
  const opened = pair === null ? [] : [pair.first, pair.second];
  return (
    <div class="ice-joint-found">
      <JointRows heading="Pairs" test="pair" rows={pairs} {...{ longest, opened, isComplete, open }} />
      <JointRows
        heading="Features"
        test="joint-feature"
        rows={features}
        opened={[feature]}
        {...{ longest, isComplete, open }}
      />
      <p class="ice-meaning" data-test="interactions-basis">
        {basisOf(body)}
      </p>
    </div>
  );
}

function rowsOf({ pairs, features }: InteractionsBody, sd: number | null): Record<"pairs" | "features", JointRow[]> {
  const rowOf = (names: string[], h2: number, effect: number): JointRow => {
    const isTiny = sd !== null && effect < LEAST_SHARE_OF_SD * sd;
    return { names, h2, effect, isTiny };
  };
  return {
    pairs: pairs.map(({ first, second, h2, effect }) => rowOf([first, second], h2, effect)),
    features: features.map(({ feature, h2, effect }) => rowOf([feature], h2, effect)),
  };
}

/** The button that starts, the progress, and what went wrong. */
function Computation() {
  const { client, joint, status } = useView().store;
  const [cancel, start] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)];
  const progress = joint.interactions.value;
  const { state, body } = progress;
  const isComputing = state === "computing";
  const isWaiting = status.value.state === "computing" && !isComputing;
  // The focus goes from one button to the other.
  const hadFocus = [cancel, start].some(({ current }) => current?.matches(":focus"));
  useLayoutEffect(() => {
    if (hadFocus) (isComputing ? cancel : start).current!.focus({ preventScroll: true });
  }, [isComputing]);
  return (
    <div class="ice-joint-status" hidden={state === "ready"}>
      <progress
        class="ice-progress"
        aria-label="Interactions computed"
        hidden={!isComputing}
        value={body?.done ?? 0}
        max={body?.total ?? 1}
      />
      <p class="ice-meaning" aria-live="polite" data-test="interactions-status">
        {isWaiting ? WAITING : textOf(progress)}
      </p>
      <Button
        ref={start}
        hidden={isComputing || isWaiting || !client.hasKernel}
        data-test="interactions-start"
        onClick={() => joint.start()}
      >
        {state === "error" ? "Try again" : "Resume"}
      </Button>
      <Button ref={cancel} hidden={!isComputing} data-test="interactions-cancel" onClick={() => joint.stop()}>
        Cancel
      </Button>
    </div>
  );
}

function textOf(progress: Progress<InteractionsBody>): string {
  const { state, body } = progress;
  if (progress.state === "error") return progress.message;
  if (body === null) return state === "computing" ? "Computing …" : "Cancelled.";
  const done = `${count(body.done)} of ${count(body.total)} features and pairs`;
  return state === "computing" ? done : `Cancelled after ${done}.`;
}

function basisOf({ n_rows, n_observations, features, pairs }: InteractionsBody): string {
  const rows = n_rows < n_observations ? `${count(n_rows)} of ${plural(n_observations, "row")}` : plural(n_rows, "row");
  const paired = new Set(pairs.flatMap(({ first, second }) => [first, second])).size;
  const of =
    paired > 0 && paired < features.length ? ` Pairs are those of the ${paired} features with the largest size.` : "";
  return `From ${rows}.${of}`;
}
