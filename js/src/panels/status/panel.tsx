/** The status of the computation, and errors, in sentences. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { CONVENTION_LABELS, sampleText } from "../../text/metric_names.ts";
import { capital } from "../../text/names.ts";
import { count, plural } from "../../text/numbers.ts";
import { Button } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { View } from "../../view/view.ts";
import { Cancelled, KERNEL_GONE, sentenceOf } from "../../wire/client.ts";

/** Shown until the chosen output or response is explained. */
const PREPARING = "Preparing your choice …";
const WAITING = "Waiting for the current model call to finish. Your choice is explained next.";

export function Status() {
  const { store } = useView();
  const [failure, setFailure] = useState("");
  const isSent = useRef(false);
  const [line, cancel, resume] = [
    useRef<HTMLSpanElement>(null),
    useRef<HTMLButtonElement>(null),
    useRef<HTMLButtonElement>(null),
  ];
  const { state, n_rows, done, total } = store.status.value;
  const isFine = store.client.alive.value && store.problem.value === null;
  const isComputing = isFine && state === "computing";
  const canResume = isFine && (state === "cancelled" || state === "error") && done < total;
  const isRefused = store.refusal.value !== null;
  // The line of context says what a complete explanation is of.
  const isHidden = isFine && !isRefused && state === "ready" && n_rows === null;
  const sentence = sentenceIn(store);
  // When the button with the focus is hidden, the focus stays in the line.
  const hadFocus = [cancel, resume].some(({ current }) => current?.matches(":focus"));
  useLayoutEffect(() => {
    if (hadFocus) (isComputing ? cancel : canResume ? resume : line).current!.focus();
  }, [isComputing, canResume]);
  useLayoutEffect(() => setFailure(""), [sentence]);
  /** Makes one request at a time; a button disabled meanwhile would lose the focus. */
  const send = (request: () => Promise<void>) => async () => {
    if (isSent.current) return;
    isSent.current = true;
    await request().catch((error) => error instanceof Cancelled || setFailure(sentenceOf(error)));
    isSent.current = false;
  };
  const tone = isFine && !isRefused ? state : "error";
  return (
    <footer class={isHidden ? "ice-status ice-hidden" : "ice-status"} data-test="status" data-tone={tone}>
      <div class="ice-status-line">
        <span ref={line} class="ice-status-words" role="status" tabIndex={-1}>
          <span class="ice-status-text" data-test="status-text">
            {failure || sentence}
          </span>
        </span>
        <progress
          class="ice-progress"
          data-test="progress"
          aria-label="Features computed"
          hidden={!isComputing}
          max={Math.max(1, total)}
          value={done}
        />
        <Button ref={cancel} hidden={!isComputing} data-test="cancel" onClick={send(() => store.cancel())}>
          Cancel
        </Button>
        <Button ref={resume} hidden={!canResume} data-test="resume" onClick={send(() => store.resume())}>
          Resume
        </Button>
      </div>
    </footer>
  );
}

function sentenceIn({ status, figures, client, isPreparing, problem, refusal }: View["store"]): string {
  const header = figures.value?.header ?? null;
  if (problem.value !== null) return problem.value;
  if (!client.alive.value) return KERNEL_GONE;
  if (refusal.value !== null) return refusal.value;
  const { state, message, n_rows, n_all, done, total, label } = status.value;
  if (isPreparing.value) return state === "computing" ? WAITING : PREPARING;
  switch (state) {
    case "computing": {
      const given = header?.distance === "conditional" ? " given the other features" : "";
      const progress = `${count(done)} of ${plural(total, "feature")}`;
      if (n_rows !== null) return `${capital(sampleText(n_rows, n_all))} · ${progress} exact`;
      return label === "" ? progress : `${progress} · ${label}${given}`;
    }
    case "cancelled":
    case "error":
      return message;
    case "ready":
      if (header === null) return "";
      return [
        n_rows === null ? plural(header.n_observations, "observation") : capital(sampleText(n_rows, n_all)),
        plural(header.features.length, "feature"),
        ...(header.convention === "step" ? [] : [`impact ${CONVENTION_LABELS[header.convention]}`]),
      ].join(" · ");
  }
}

/** Warnings above the figures, for example that a feature may be the target itself. */
export function Alerts() {
  const alerts = useView().store.figures.value?.header.alerts ?? [];
  return (
    <div class="ice-alerts" role="status" data-test="alerts" hidden={alerts.length === 0}>
      {alerts.map((text) => (
        <p key={text} class="ice-alert">
          {text}
        </p>
      ))}
    </div>
  );
}
