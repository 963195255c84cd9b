/** Details behind a fold: method, grid, the definition of impact, and the notes. */

import { plural } from "../../text/numbers.ts";
import { hasLevels } from "../../text/values.ts";
import { html, setText } from "../../ui/element.ts";
import type { View } from "../../view/view.ts";
import type { Header, Note } from "../../wire/protocol.ts";
import { countingControl } from "./counting.ts";

export function detailsPanel(view: View): HTMLElement {
  const { store, keep } = view;
  const summary = html("summary", { "data-test": "details-summary" });
  const [method, grid] = [html("p"), html("p")];
  const notes = html("ul", { class: "ice-notes", "data-test": "notes" });
  const [ofMethod, ofGrid] = [part("Method", method), part("Grid", grid)];
  const ofNotes = part("Notes", notes);
  const counting = part("How impact is counted", countingControl(view));
  const details = html(
    "details",
    { class: "ice-details", "data-test": "details" },
    summary,
    ofMethod,
    ofGrid,
    counting,
    ofNotes,
  );

  let listed = "";
  keep(
    () =>
      [
        store.figures.value?.header ?? null,
        store.feature.value,
        store.client.alive.value && store.status.value.state === "computing",
      ] as const,
    ([header, feature, computing]) => {
      details.hidden = header === null;
      counting.hidden = (header?.conventions ?? []).length === 0;
      const known = computing ? [] : sorted(header?.notes ?? [], feature);
      setText(summary, known.length === 0 ? "Details" : `Details and ${plural(known.length, "note")}`);
      setText(method, header === null || computing ? "" : methodText(header));
      setText(grid, header === null ? "" : gridText(header, feature));
      ofMethod.hidden = method.textContent === "";
      ofGrid.hidden = grid.textContent === "";
      ofNotes.hidden = known.length === 0;
      const key = JSON.stringify(known);
      if (key !== listed) notes.replaceChildren(...known.map(noteItem));
      listed = key;
    },
  );
  return details;
}

function part(title: string, content: HTMLElement): HTMLElement {
  return html("div", { class: "ice-detail" }, html("h4", { class: "ice-detail-title" }, title), content);
}

function methodText({ method, method_reason }: Header): string {
  return method_reason === "" ? method : `${method}: ${method_reason}`;
}

/** How many values of the open feature are evaluated. */
function gridText({ features }: Header, feature: string): string {
  const opened = features.find(({ name }) => name === feature);
  if (opened === undefined) return "";
  return `${feature} has ${plural(opened.n_grid, hasLevels(opened.kind) ? "level" : "grid value")}.`;
}

/** Notes on the open feature first, then those on all features. */
function sorted(notes: readonly Note[], feature: string): Note[] {
  const order = (note: Note): number => (note.feature === feature ? 0 : note.feature === null ? 1 : 2);
  return [...notes].sort((a, b) => order(a) - order(b));
}

function noteItem({ feature, text }: Note): HTMLElement {
  const item = html("li", { "data-test": "note" });
  if (feature !== null) item.append(html("strong", {}, feature), " ");
  item.append(text);
  return item;
}
