/** Everything about an export at once: format, what, how large, and where to. */

import { Choice } from "../../elements/choice.ts";
import { html, setText, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { FIGURES, isDrawnHere, titleOf, type Where, type Wish } from "../../files/save.ts";
import type { View } from "../../view/view.ts";
import { sentenceOf } from "../../wire/client.ts";
import type { FormatHeader, What } from "../../wire/protocol.ts";
import { contentsText } from "./contents.ts";
import { sizeFields } from "./size.ts";

const HINTS: Record<string, string> = {
  svg: "sharp at any size",
  png: "for chat and slides",
  pdf: "for print",
  csv: "numbers, as text",
  parquet: "numbers, small",
  json: "all numbers",
  html: "to open anywhere",
};
const TABLES = ["csv", "parquet"];
const FIGURE = "figure";

/** Formats of one family hold the same, so that what was chosen for one is meant for the other, too. */
const familyOf = (format: string): string =>
  FIGURES.includes(format) ? FIGURE : TABLES.includes(format) ? "table" : format;

/** Null: there is nothing of the kind in this format. */
function whatTexts(format: string, feature: string): Record<"view" | "panel" | "all", string | null> {
  const opened = feature === "" ? "the open feature" : feature;
  const [panel, all] = [`Curves of ${opened}`, "Curves of all features"];
  if (FIGURES.includes(format)) return { view: "The view: ranking and curves", panel, all };
  if (TABLES.includes(format)) return { view: "Metrics of all features", panel, all };
  if (format === "json") return { view: "Metrics and all curves", panel: `Metrics and curves of ${opened}`, all: null };
  return { view: "The view", panel: null, all: null };
}

const WHERES: Record<Where, { label: string; does: string }> = {
  download: { label: "Download", does: "Download" },
  clipboard: { label: "Clipboard", does: "Copy" },
  notebook: { label: "Next to the notebook", does: "Save" },
};
const MANY_FILES = "One file per feature, saved in a folder next to the notebook.";

export interface ExportDialog {
  node: HTMLElement;
  open(): void;
}

/** `fail` reports an error that occurs after the dialog is closed. */
export function exportDialog(
  view: View,
  run: (wish: Wish) => Promise<void>,
  fail: (sentence: string) => void,
): ExportDialog {
  const { store, aborted, keep } = view;
  const formats = new Choice<string>("Format", "format", aborted);
  const whats = new Choice<What>("What", "what", aborted);
  const wheres = new Choice<Where>("Where to", "where", aborted);
  const size = sizeFields(aborted);
  const contents = html("p", { class: "ice-choice-contents", "data-test": "dialog-contents", role: "status" });
  const problem = html("p", { class: "ice-problem", role: "alert", "data-test": "dialog-problem", hidden: true });
  const submit = html(
    "button",
    { type: "submit", class: "ice-button ice-primary", "data-test": "dialog-run" },
    WHERES.download.does,
  );
  const cancel = html("button", { type: "button", class: "ice-button", "data-test": "dialog-cancel" }, "Cancel");
  const title = html(
    "h3",
    { class: "ice-dialog-title", id: `ice-export-${Math.random().toString(36).slice(2)}` },
    "Export",
  );
  const form = html(
    "form",
    { class: "ice-dialog-form", novalidate: true },
    title,
    formats.node,
    whats.node,
    contents,
    size.node,
    wheres.node,
    problem,
    html("div", { class: "ice-dialog-buttons" }, cancel, submit),
  );
  const dialog = html(
    "dialog",
    { class: "ice-dialog", "aria-labelledby": title.id, tabindex: -1, "data-test": "export-dialog" },
    form,
  );
  let isUsed = false;
  let family = FIGURE;
  /** What the dialog waits for before it closes. */
  let awaited: Promise<void> | null = null;

  const offered = (): FormatHeader[] => store.figures.peek()?.header.formats ?? [];
  const formatNow = (): FormatHeader | undefined => offered().find(({ name }) => name === formats.value);

  /** What can be chosen depends on what is chosen above it. */
  const draw = (): void => {
    const format = formatNow();
    const name = format?.name ?? "";
    const missing = isDrawnHere(format) ? format!.problem : null;
    // All curves of all features are many megabytes: nobody gets them who chose something else before.
    if (familyOf(name) !== family) whats.choose("view");
    family = familyOf(name);
    const texts = Object.entries(whatTexts(name, store.feature.peek())) as [What, string | null][];
    whats.offer(
      texts.flatMap(([value, label]) =>
        label === null ? [] : [{ value, label, problem: value === "all" ? missing : null }],
      ),
    );
    const isMany = whats.value === "all" && format?.holds_all === false;
    const places = (Object.keys(WHERES) as Where[]).filter((where) => where !== "clipboard" || name === "png");
    const reason = (where: Where) => (where === "notebook" ? missing : isMany ? MANY_FILES : null);
    wheres.offer(places.map((value) => ({ value, label: WHERES[value].label, problem: reason(value) })));
    const holds = whats.value === null ? "" : contentsText(store, name, whats.value);
    setText(contents, holds);
    contents.hidden = holds === "";
    size.node.hidden = !FIGURES.includes(name);
    setText(submit, WHERES[wheres.value ?? "download"].does);
    submit.disabled = format === undefined || (format.problem !== null && missing === null);
  };

  const offerFormats = (): void => {
    formats.offer(
      offered().map((format) => {
        const { name } = format;
        const problem = isDrawnHere(format) ? null : format.problem;
        return { value: name, label: titleOf(name), hint: HINTS[name] ?? "", problem };
      }),
    );
  };

  const open = (): void => {
    if (dialog.matches(":modal")) return;
    dialog.close(); // it stays open, but no longer as a dialog, where the page takes an explorer out and puts it back
    problem.hidden = true;
    const { format, width, dpi } = store.settings.peek();
    offerFormats();
    if (!isUsed) {
      formats.choose(format ?? "svg");
      size.set(width ?? null, dpi ?? null);
    }
    if (familyOf(formatNow()?.name ?? "") !== FIGURE) whats.choose("view");
    draw();
    dialog.showModal();
    formats.focus();
  };

  /** Meanwhile the button does nothing; disabled, it would take the keyboard out of the dialog. */
  const wait = (made: Promise<void> | null): void => {
    awaited = made;
    const waits = made === null ? null : "true";
    update(submit, { "aria-busy": waits, "aria-disabled": waits });
  };

  const send = async (): Promise<void> => {
    const [format, what, where] = [formats.value, whats.value, wheres.value];
    if (awaited !== null || submit.disabled || format === null || what === null || where === null) return;
    isUsed = true;
    problem.hidden = true;
    let made: Promise<void> | null = null;
    try {
      made = run({ format, what, ...size.get(), where });
      wait(made);
      await made;
      if (awaited === made) dialog.close();
    } catch (error) {
      const sentence = sentenceOf(error);
      if (awaited !== made) return fail(sentence);
      wait(null);
      setText(problem, sentence);
      problem.hidden = false;
      problem.scrollIntoView({ block: "nearest" });
    }
  };

  listen(form, aborted, {
    change: draw,
    submit: (event) => {
      event.preventDefault();
      void send();
    },
  });
  listen(cancel, aborted, { click: () => dialog.close() });
  listen(dialog, aborted, {
    close: () => wait(null),
    keydown: (event) => keepInside(event, dialog),
    // JupyterLab's own menu would open behind the dialog, and take the keys.
    contextmenu: (event) => event.stopPropagation(),
    pointerdown: (event) => {
      if (event.target === dialog && isBeside(event, dialog.getBoundingClientRect())) dialog.close();
    },
  });
  keep(
    () => [store.feature.value, store.maxLines.value, store.picture.value],
    () => {
      if (dialog.open) draw();
    },
  );
  return { node: dialog, open };
}

/** Its backdrop is part of a dialog, and so is the scroll bar that it has where the page is low. */
function isBeside({ clientX: x, clientY: y }: PointerEvent, { left, right, top, bottom }: DOMRect): boolean {
  return x < left || x > right || y < top || y > bottom;
}

/** Tab goes round inside; keys of the dialog are no keys of the explorer behind it. */
function keepInside(event: KeyboardEvent, dialog: HTMLDialogElement): void {
  event.stopPropagation();
  if (event.key !== "Tab") return;
  const all = [...dialog.querySelectorAll<HTMLInputElement>("button, input, select")];
  // Of radio buttons, the chosen one alone is on the way.
  const stops = all.filter(
    (each) => !each.disabled && each.checkVisibility() && (each.type !== "radio" || each.checked),
  );
  const [first, last] = [stops[0], stops.at(-1)];
  const from = event.shiftKey ? first : last;
  if (event.target !== from && event.target !== dialog) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
