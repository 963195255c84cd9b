/** What the kernel is doing, what it has to remark, and what went wrong, in sentences. */

import { html, setText, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, KERNEL_GONE, sentenceOf } from "../../wire/client.ts";
import type { Header, Status } from "../../wire/protocol.ts";
import { CONVENTION_LABELS } from "../../words/metric_names.ts";
import { count, plural } from "../../words/numbers.ts";
import { detailsPanel } from "./details.ts";

/** While another output or response waits to be explained. */
const PREPARING = "Preparing your choice …";
const WAITING = "Waiting for the current model call to finish. Your choice is explained next.";

interface Told {
  status: Status;
  header: Header | null;
  alive: boolean;
  isPreparing: boolean;
  problem: string | null;
}

function sentence({ status, header, alive, isPreparing, problem }: Told): string {
  if (problem !== null) return problem;
  if (!alive) return KERNEL_GONE;
  if (isPreparing) return status.state === "computing" ? WAITING : PREPARING;
  switch (status.state) {
    case "computing": {
      const progress = `${count(status.done)} of ${plural(status.total, "feature")}`;
      return status.label === "" ? progress : `${progress} · ${status.label}`;
    }
    case "cancelled":
    case "error":
      return status.message;
    case "ready":
      if (header === null) return "";
      return [
        plural(header.n_observations, "observation"),
        plural(header.features.length, "feature"),
        ...(header.convention === "stable" ? [] : [`impact ${CONVENTION_LABELS[header.convention]}`]),
      ].join(" · ");
  }
}

export function statusPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const text = html("span", { class: "ice-status-text", "data-test": "status-text" });
  const words = html("span", { class: "ice-status-words", role: "status", tabindex: -1 }, text);
  const bar = html("progress", { class: "ice-progress", "data-test": "progress", "aria-label": "Features computed" });
  const cancel = html("button", { type: "button", class: "ice-button", "data-test": "cancel" }, "Cancel");
  const resume = html("button", { type: "button", class: "ice-button", "data-test": "resume" }, "Resume");
  const panel = html(
    "footer",
    { class: "ice-status", "data-test": "status" },
    html("div", { class: "ice-status-line" }, words, bar, cancel, resume),
    detailsPanel(view),
  );

  /** Asks once however often it is pressed; a button that is disabled meanwhile would lose the focus. */
  const asks = (button: HTMLButtonElement, ask: () => Promise<void>): void => {
    let asked = false;
    const run = async () => {
      if (asked) return;
      asked = true;
      try {
        await ask();
      } catch (error) {
        if (!(error instanceof Cancelled)) setText(text, sentenceOf(error));
      } finally {
        asked = false;
      }
    };
    listen(button, aborted, { click: run });
  };
  asks(cancel, () => store.cancel());
  asks(resume, () => store.resume());

  view.keep(
    () => ({
      status: store.status.value,
      header: store.figures.value?.header ?? null,
      alive: store.client.alive.value,
      isPreparing: store.isPreparing.value,
      problem: store.problem.value,
      refusal: store.refusal.value,
    }),
    ({ problem, refusal, ...told }) => {
      const { status, alive } = told;
      const computing = alive && problem === null && status.state === "computing";
      const tone = !alive || problem !== null || refusal !== null ? "error" : status.state;
      update(panel, { "data-tone": tone });
      setText(text, sentence({ ...told, problem: problem ?? (alive ? refusal : null) }));
      const stopped = alive && problem === null && (status.state === "cancelled" || status.state === "error");
      const focused = cancel.matches(":focus") || resume.matches(":focus");
      bar.hidden = cancel.hidden = !computing;
      resume.hidden = !stopped || status.done >= status.total;
      // The button that was pressed goes; whoever pressed it with a key is not thrown to the top of the page.
      if (focused) (computing ? cancel : resume.hidden ? words : resume).focus();
      bar.max = Math.max(1, status.total);
      bar.value = status.done;
    },
  );
  return panel;
}
