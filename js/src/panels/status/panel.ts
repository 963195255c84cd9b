/** The status of the computation, and errors, in sentences. */

import { html, setText, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { pushButton } from "../../elements/push_button.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, KERNEL_GONE, sentenceOf } from "../../wire/client.ts";
import type { Header, Status } from "../../wire/protocol.ts";
import { CONVENTION_LABELS } from "../../words/metric_names.ts";
import { count, plural } from "../../words/numbers.ts";
import { detailsPanel } from "./details.ts";

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
  return new StatusPanel(view).node;
}

class StatusPanel {
  readonly node: HTMLElement;
  readonly #text = html("span", { class: "ice-status-text", "data-test": "status-text" });
  readonly #words = html("span", { class: "ice-status-words", role: "status", tabindex: -1 }, this.#text);
  readonly #bar = html("progress", {
    class: "ice-progress",
    "data-test": "progress",
    "aria-label": "Features computed",
  });
  readonly #cancel = pushButton({ class: "ice-button", "data-test": "cancel" }, "Cancel");
  readonly #resume = pushButton({ class: "ice-button", "data-test": "resume" }, "Resume");

  constructor(view: View) {
    const { store, aborted, keep } = view;
    this.node = html(
      "footer",
      { class: "ice-status", "data-test": "status" },
      html("div", { class: "ice-status-line" }, this.#words, this.#bar, this.#cancel, this.#resume),
      detailsPanel(view),
    );
    listen(this.#cancel, aborted, { click: this.#request(() => store.cancel()) });
    listen(this.#resume, aborted, { click: this.#request(() => store.resume()) });
    keep(
      () => ({
        status: store.status.value,
        header: store.figures.value?.header ?? null,
        alive: store.client.alive.value,
        isPreparing: store.isPreparing.value,
        problem: store.problem.value,
        refusal: store.refusal.value,
      }),
      ({ refusal, ...state }) => this.#draw(state, refusal),
    );
  }

  /** Sends one request however often the button is pressed; a disabled button would lose the focus. */
  #request(send: () => Promise<void>): () => void {
    let isSent = false;
    return async () => {
      if (isSent) return;
      isSent = true;
      try {
        await send();
      } catch (error) {
        if (!(error instanceof Cancelled)) setText(this.#text, sentenceOf(error));
      } finally {
        isSent = false;
      }
    };
  }

  #draw(state: State, refusal: string | null): void {
    const { status, alive, problem } = state;
    const isFine = alive && problem === null;
    const isComputing = isFine && status.state === "computing";
    const isStopped = isFine && (status.state === "cancelled" || status.state === "error");
    update(this.node, { "data-tone": isFine && refusal === null ? status.state : "error" });
    setText(this.#text, sentence({ ...state, problem: problem ?? (alive ? refusal : null) }));
    const hadFocus = this.#cancel.matches(":focus") || this.#resume.matches(":focus");
    this.#bar.hidden = this.#cancel.hidden = !isComputing;
    this.#resume.hidden = !isStopped || status.done >= status.total;
    // When the button with the focus is hidden, the focus stays in the line.
    if (hadFocus) (isComputing ? this.#cancel : this.#resume.hidden ? this.#words : this.#resume).focus();
    this.#bar.max = Math.max(1, status.total);
    this.#bar.value = status.done;
  }
}
