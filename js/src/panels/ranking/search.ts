/** A field that searches features by name, for long rankings. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { count, plural } from "../../text/numbers.ts";
import { html, setText } from "../../ui/element.ts";
import { listen } from "../../ui/lifetime.ts";
import type { View } from "../../view/view.ts";

/** Of fewer features, most have a bar in sight. */
const LEAST_FEATURES = 21;
/** Elements in which a slash is typed. */
const TYPING = "textarea, [contenteditable], input:not([type=range], [type=checkbox], [type=radio])";

export interface Search {
  node: HTMLElement;
  /** The search text; empty if none. */
  query: ReadonlySignal<string>;
  /** Shows how many of the features have it in their names. */
  show(matching: number, of: number): void;
}

/** `leave` is called with ↓ (to the bars) and Enter (open the first of them). */
export function searchField(view: View, leave: (open: boolean) => void): Search {
  const query = signal("");
  const field = html("input", {
    type: "search",
    class: "ice-search",
    placeholder: "Search features  /",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Search features",
    "aria-keyshortcuts": "/",
    "data-test": "search",
  });
  const counted = html("span", { class: "ice-search-count", role: "status", "data-test": "search-count" });
  const node = html("div", { class: "ice-search-row", hidden: true }, field, counted);
  const search = (text: string): void => {
    if (field.value !== text) field.value = text;
    query.value = text.trim();
  };
  const keys: Record<string, () => void> = {
    Escape: () => (field.value === "" ? leave(false) : search("")),
    ArrowDown: () => leave(false),
    Enter: () => leave(true),
  };
  listen(field, view.aborted, {
    input: () => search(field.value),
    keydown: (event) => {
      const act = keys[event.key];
      if (act === undefined || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    },
  });
  focusOnSlash(view, node, field);
  view.keep(
    () => view.store.figures.value?.header.features.length ?? 0,
    (features) => {
      node.hidden = features < LEAST_FEATURES;
      if (node.hidden) search("");
    },
  );
  const show = (matching: number, of: number): void =>
    setText(counted, query.peek() === "" ? "" : `${count(matching)} of ${plural(of, "feature")}`);
  return { node, query, show };
}

function focusOnSlash({ root, aborted }: View, row: HTMLElement, field: HTMLInputElement): void {
  listen(root, aborted, {
    keydown: (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (row.hidden || (event.target as Element).matches(TYPING)) return;
      event.preventDefault();
      field.focus({ preventScroll: true });
      field.select();
    },
  });
}
