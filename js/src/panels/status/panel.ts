/** The status of the computation, and errors, in sentences. */

import { html, setText, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { pushButton } from "../../elements/push_button.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, KERNEL_GONE, sentenceOf } from "../../wire/client.ts";
import type { Header, Status } from "../../wire/protocol.ts";
import { CONVENTION_LABELS, sampleText } from "../../words/metric_names.ts";
import { capital } from "../../words/names.ts";
import { count, plural } from "../../words/numbers.ts";

/** Shown until the chosen output or response is explained. */
const PREPARING = "Preparing your choice …";
const WAITING = "Waiting for the current model call to finish. Your choice is explained next.";

/** The state that the status line is drawn by. */
interface State {
  status: Status;
  header: Header | null;
  alive: boolean;
  isPreparing: boolean;
  problem: string | null;
}

function sentence({ status, header, alive, isPreparing, problem }: State): string {
  if (problem !== null) return problem;
  if (!alive) return KERNEL_GONE;
  if (isPreparing) return status.state === "computing" ? WAITING : PREPARING;
  switch (status.state) {
    case "computing": {
      const { n_rows, n_all, done, total, label } = status;
      const given = header?.distance === "conditional" ? " given the other features" : "";
      const progress = `${count(done)} of ${plural(total, "feature")}`;
      if (n_rows !== null) return `${capital(sampleText(n_rows, n_all))} · ${progress} exact`;
      return label === "" ? progress : `${progress} · ${label}${given}`;
    }
    case "cancelled":
    case "error":
      return status.message;
    case "ready":
      if (header === null) return "";
      return [
        status.n_rows === null
          ? plural(header.n_observations, "observation")
          : capital(sampleText(status.n_rows, status.n_all)),
        plural(header.features.length, "feature"),
        ...(header.convention === "step" ? [] : [`impact ${CONVENTION_LABELS[header.convention]}`]),
      ].join(" · ");
  }
}

export function statusPanel(view: View): HTMLElement {
  const { store, aborted, keep } = view;
  const text = html("span", { class: "ice-status-text", "data-test": "status-text" });
  const words = html("span", { class: "ice-status-words", role: "status", tabindex: -1 }, text);
  const bar = html("progress", { class: "ice-progress", "data-test": "progress", "aria-label": "Features computed" });
  const cancel = pushButton({ class: "ice-button", "data-test": "cancel" }, "Cancel");
  const resume = pushButton({ class: "ice-button", "data-test": "resume" }, "Resume");
  const panel = html(
    "footer",
    { class: "ice-status", "data-test": "status" },
    html("div", { class: "ice-status-line" }, words, bar, cancel, resume),
  );
  const fail = (error: unknown): void => {
    if (!(error instanceof Cancelled)) setText(text, sentenceOf(error));
  };
  listen(cancel, aborted, { click: oneAtATime(() => store.cancel(), fail) });
  listen(resume, aborted, { click: oneAtATime(() => store.resume(), fail) });
  keep(
    () => ({
      status: store.status.value,
      header: store.figures.value?.header ?? null,
      alive: store.client.alive.value,
      isPreparing: store.isPreparing.value,
      problem: store.problem.value,
      refusal: store.refusal.value,
    }),
    ({ refusal, ...state }) => {
      const { status, alive, problem } = state;
      const isFine = alive && problem === null;
      const isComputing = isFine && status.state === "computing";
      const isStopped = isFine && (status.state === "cancelled" || status.state === "error");
      // The line of context says what a complete explanation is of.
      panel.classList.toggle(
        "ice-hidden",
        isFine && refusal === null && status.state === "ready" && status.n_rows === null,
      );
      update(panel, { "data-tone": isFine && refusal === null ? status.state : "error" });
      setText(text, sentence({ ...state, problem: problem ?? (alive ? refusal : null) }));
      const hadFocus = cancel.matches(":focus") || resume.matches(":focus");
      bar.hidden = cancel.hidden = !isComputing;
      resume.hidden = !isStopped || status.done >= status.total;
      // When the button with the focus is hidden, the focus stays in the line.
      if (hadFocus) (isComputing ? cancel : resume.hidden ? words : resume).focus();
      bar.max = Math.max(1, status.total);
      bar.value = status.done;
    },
  );
  return panel;
}

/** Returns a function that makes one request at a time; a button disabled meanwhile would lose the focus. */
function oneAtATime(request: () => Promise<void>, fail: (error: unknown) => void): () => void {
  let isMade = false;
  return async () => {
    if (isMade) return;
    isMade = true;
    await request().catch(fail);
    isMade = false;
  };
}
