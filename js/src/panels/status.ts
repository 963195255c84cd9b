/** What the kernel is doing, what it has to remark, and what went wrong, in sentences. */
import { Cancelled, KERNEL_GONE } from "../client.ts";
import { count, plural } from "../format.ts";
import { html, setText, update } from "../marks/element.ts";
import type { Header, Note, Status } from "../protocol.ts";
import type { View } from "../view.ts";

/** Shows this many notes at once; the others wait behind a fold. */
const SHOWN_NOTES = 2;

function sentence(status: Status, header: Header | null, alive: boolean, protocolProblem: string | null): string {
  if (protocolProblem !== null) return protocolProblem;
  if (!alive) return KERNEL_GONE;
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
        `${header.engine} engine`,
        `${header.convention}, ${header.weighting} weighting`,
      ].join(" · ");
  }
}

export function statusPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const text = html("span", { class: "ice-status-text", "data-test": "status-text" });
  const bar = html("progress", { class: "ice-progress", "data-test": "progress", "aria-label": "Features computed" });
  const cancel = html("button", { type: "button", class: "ice-button", "data-test": "cancel" }, "Cancel");
  const notes = html("div", { class: "ice-notes", "data-test": "notes" });
  const panel = html(
    "footer",
    { class: "ice-status", "data-test": "status" },
    html(
      "div",
      { class: "ice-status-line" },
      html("span", { class: "ice-status-words", role: "status" }, text),
      bar,
      cancel,
    ),
    notes,
  );

  cancel.addEventListener(
    "click",
    async () => {
      cancel.disabled = true;
      try {
        await store.cancel();
      } catch (error) {
        if (!(error instanceof Cancelled)) setText(text, error instanceof Error ? error.message : String(error));
      } finally {
        cancel.disabled = false;
      }
    },
    { signal: aborted },
  );

  let drawn = "";
  view.keep(
    () => ({
      status: store.status.value,
      header: store.figures.value?.header ?? null,
      alive: store.client.alive.value,
      problem: store.protocolProblem.value,
      feature: store.feature.value,
    }),
    ({ status, header, alive, problem, feature }) => {
      const computing = alive && problem === null && status.state === "computing";
      const tone = !alive || problem !== null ? "error" : status.state;
      update(panel, { "data-tone": tone });
      setText(text, sentence(status, header, alive, problem));
      bar.hidden = cancel.hidden = !computing;
      bar.max = Math.max(1, status.total);
      bar.value = status.done;
      text.title = header === null || status.state !== "ready" ? "" : header.engine_reason;
      const shown = computing ? [] : relevant(header?.notes ?? [], feature);
      const key = JSON.stringify(shown);
      if (key !== drawn) drawNotes(notes, shown);
      drawn = key;
    },
  );
  return panel;
}

/** Notes on the open feature come first, then those on everything, then those on other features. */
function relevant(all: readonly Note[], feature: string): Note[] {
  const order = (note: Note) => (note.feature === feature ? 0 : note.feature === null ? 1 : 2);
  return [...all].sort((a, b) => order(a) - order(b));
}

function noteItem({ feature, text }: Note): HTMLElement {
  const item = html("li", { "data-test": "note" });
  if (feature !== null) item.append(html("strong", {}, feature), " ");
  item.append(text);
  return item;
}

function drawNotes(place: HTMLElement, notes: readonly Note[]): void {
  const first = html("ul", {}, ...notes.slice(0, SHOWN_NOTES).map(noteItem));
  const rest = notes.slice(SHOWN_NOTES);
  place.replaceChildren(first);
  if (rest.length > 0) {
    place.append(
      html(
        "details",
        {},
        html("summary", {}, `${plural(rest.length, "more note")}`),
        html("ul", {}, ...rest.map(noteItem)),
      ),
    );
  }
  place.hidden = notes.length === 0;
}
