/** Finds features by their names, where there are more than one sees at a glance. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { html, setText } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import type { View } from "../../view/view.ts";
import { count, plural } from "../../words/numbers.ts";

const LEAST_FEATURES = 12;
/** What takes a slash as a letter. */
const TYPING = "textarea, [contenteditable], input:not([type=range], [type=checkbox], [type=radio])";

export interface Search {
  node: HTMLElement;
  /** The search text; empty if none. */
  query: ReadonlySignal<string>;
  /** How many of the features have it in their names. */
  tell(found: number, of: number): void;
}

/** `leave` is called with ↓ (to the bars) and Enter (open the first of them). */
export function searchField(view: View, leave: (open: boolean) => void): Search {
  const { store, root, aborted } = view;
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
  const found = html("span", { class: "ice-search-count", role: "status", "data-test": "search-count" });
  const node = html("div", { class: "ice-search-row", hidden: true }, field, found);
  const ask = (text: string): void => {
    if (field.value !== text) field.value = text;
    query.value = text.trim();
  };

  listen(field, aborted, {
    input: () => ask(field.value),
    keydown: (event) => {
      const keys: Record<string, () => void> = {
        Escape: () => (field.value === "" ? leave(false) : ask("")),
        ArrowDown: () => leave(false),
        Enter: () => leave(true),
      };
      const act = keys[event.key];
      if (act === undefined || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    },
  });
  listen(root, aborted, {
    keydown: (event) => {
      const target = event.target as Element;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (node.hidden || target.matches(TYPING)) return;
      event.preventDefault();
      field.focus({ preventScroll: true });
      field.select();
    },
  });
  view.keep(
    () => store.figures.value?.header.features.length ?? 0,
    (features) => {
      node.hidden = features < LEAST_FEATURES;
      if (node.hidden) ask("");
    },
  );
  const tell = (matching: number, of: number): void =>
    setText(found, query.peek() === "" ? "" : `${count(matching)} of ${plural(of, "feature")}`);
  return { node, query, tell };
}
