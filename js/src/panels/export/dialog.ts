/** The export dialog: format, contents, size and destination. */

import { Choice } from "../../elements/choice.ts";
import { html, setText, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { pushButton } from "../../elements/push_button.ts";
import { FIGURES, isDrawnHere, titleOf, type Where, type Wish } from "../../files/save.ts";
import type { Pair } from "../../store/joint.ts";
import type { View } from "../../view/view.ts";
import { sentenceOf } from "../../wire/client.ts";
import type { FormatHead, What } from "../../wire/protocol.ts";
import { contentsText } from "./contents.ts";
import { SizeFields } from "./size.ts";

const HINTS: Record<string, string> = {
  svg: "sharp at any size",
  png: "for chat and slides",
  pdf: "for print",
  csv: "numbers, as text",
  parquet: "numbers, small",
  json: "all numbers",
  html: "to open anywhere",
  ice: "for ice.load",
};
const TABLES = ["csv", "parquet"];
const FIGURE = "figure";

/** Formats of one family have the same contents, so a choice for one holds for the others. */
const familyOf = (format: string): string =>
  FIGURES.includes(format) ? FIGURE : TABLES.includes(format) ? "table" : format;

/** The choices of contents; null for those that a format does not offer. A heat map is in figures alone. */
function whatTexts(
  format: string,
  feature: string,
  pair: Pair | null,
): Record<"view" | "panel" | "all", string | null> {
  const opened = feature === "" ? "the open feature" : feature;
  const [panel, all] = [`Curves of ${opened}`, "Curves of all features"];
  if (FIGURES.includes(format) && pair !== null) {
    return { view: "The view: ranking and heat map", panel: `Heat map of ${pair.first} and ${pair.second}`, all };
  }
  if (FIGURES.includes(format)) return { view: "The view: ranking and curves", panel, all };
  if (TABLES.includes(format)) return { view: "Metrics of all features", panel, all };
  if (format === "json") return { view: "Metrics and all curves", panel: `Metrics and curves of ${opened}`, all: null };
  return { view: format === "ice" ? "Metrics, curves and rows of X" : "The view", panel: null, all: null };
}

const WHERES: Record<Where, { label: string; does: string }> = {
  download: { label: "Download", does: "Download" },
  clipboard: { label: "Clipboard", does: "Copy" },
  notebook: { label: "Next to the notebook", does: "Save" },
};
const MANY_FILES = "One file per feature, saved in a folder next to the notebook.";

export class ExportDialog {
  readonly #formats: Choice<string>;
  readonly #whats: Choice<What>;
  readonly #wheres: Choice<Where>;
  readonly #size: SizeFields;
  readonly #contents = html("p", { class: "ice-choice-contents", "data-test": "dialog-contents", role: "status" });
  readonly #problem = html("p", { class: "ice-problem", role: "alert", "data-test": "dialog-problem", hidden: true });
  readonly #submit = html(
    "button",
    { type: "submit", class: "ice-button ice-primary", "data-test": "dialog-run" },
    WHERES.download.does,
  );
  readonly #cancel = pushButton({ class: "ice-button", "data-test": "dialog-cancel" }, "Cancel");
  readonly #form: HTMLFormElement;
  readonly node: HTMLDialogElement;
  #isUsed = false;
  #family = FIGURE;
  /** The export that closes the dialog when it is done. */
  #awaited: Promise<void> | null = null;

  /** `fail` reports an error that occurs after the dialog is closed. */
  constructor(
    private readonly view: View,
    private readonly run: (wish: Wish) => Promise<void>,
    private readonly fail: (sentence: string) => void,
  ) {
    const { aborted } = view;
    this.#formats = new Choice("Format", "format", aborted);
    this.#whats = new Choice("What", "what", aborted);
    this.#wheres = new Choice("Where to", "where", aborted);
    this.#size = new SizeFields(aborted);
    const id = `ice-export-${Math.random().toString(36).slice(2)}`;
    this.#form = html(
      "form",
      { class: "ice-dialog-form", novalidate: true },
      html("h3", { class: "ice-dialog-title", id }, "Export"),
      this.#formats.node,
      this.#whats.node,
      this.#contents,
      this.#size.node,
      this.#wheres.node,
      this.#problem,
      html("div", { class: "ice-dialog-buttons" }, this.#cancel, this.#submit),
    );
    const attributes = { class: "ice-dialog", "aria-labelledby": id, tabindex: -1, "data-test": "export-dialog" };
    this.node = html("dialog", attributes, this.#form);
    this.#listen();
  }

  #listen(): void {
    const { store, aborted, keep } = this.view;
    const { node } = this;
    listen(this.#form, aborted, {
      change: () => this.#draw(),
      submit: (event) => {
        event.preventDefault();
        void this.#send();
      },
    });
    listen(this.#cancel, aborted, { click: () => node.close() });
    listen(node, aborted, {
      close: () => this.#wait(null),
      keydown: (event) => keepInside(event, node),
      // JupyterLab's own menu would open behind the dialog, and take the keys.
      contextmenu: (event) => event.stopPropagation(),
      pointerdown: (event) => {
        if (event.target === node && isBeside(event, node.getBoundingClientRect())) node.close();
      },
    });
    keep(
      () => [store.feature.value, store.maxLines.value, store.picture.value],
      () => {
        if (node.open) this.#draw();
      },
    );
  }

  get #offered(): readonly FormatHead[] {
    return this.view.store.figures.peek()?.header.formats ?? [];
  }

  get #format(): FormatHead | undefined {
    return this.#offered.find(({ name }) => name === this.#formats.value);
  }

  open(): void {
    const { node } = this;
    if (node.matches(":modal")) return;
    node.close(); // it stays open, but no longer as a dialog, where the page takes an explorer out and puts it back
    this.#problem.hidden = true;
    const { format, width, dpi } = this.view.store.settings.peek();
    this.#offerFormats();
    if (!this.#isUsed) {
      this.#formats.choose(format ?? "svg");
      this.#size.set(width ?? null, dpi ?? null);
    }
    if (familyOf(this.#format?.name ?? "") !== FIGURE) this.#whats.choose("view");
    this.#draw();
    node.showModal();
    this.#formats.focus();
  }

  #offerFormats(): void {
    this.#formats.offer(
      this.#offered.map((format) => {
        const { name } = format;
        const problem = isDrawnHere(format) ? null : format.problem;
        return { value: name, label: titleOf(name), hint: HINTS[name] ?? "", problem };
      }),
    );
  }

  /** What can be chosen depends on what is chosen above it. */
  #draw(): void {
    const { store } = this.view;
    const format = this.#format;
    const name = format?.name ?? "";
    /** Why this kernel cannot make the format; the view is drawn in the browser then. */
    const missing = isDrawnHere(format) ? format!.problem : null;
    this.#offerContents(name, missing);
    const what = this.#whats.value;
    this.#offerPlaces(name, missing, what === "all" && format?.holds_all === false);
    const contents = what === null ? "" : contentsText(store, name, what);
    setText(this.#contents, contents);
    this.#contents.hidden = contents === "";
    this.#size.node.hidden = !FIGURES.includes(name);
    setText(this.#submit, WHERES[this.#wheres.value ?? "download"].does);
    this.#submit.disabled = format === undefined || (format.problem !== null && missing === null);
  }

  #offerContents(format: string, missing: string | null): void {
    // The curves of all features are many megabytes: they are chosen for one format, not for the next.
    if (familyOf(format) !== this.#family) this.#whats.choose("view");
    this.#family = familyOf(format);
    const { store } = this.view;
    const texts = Object.entries(whatTexts(format, store.feature.peek(), store.pair.peek())) as [What, string | null][];
    this.#whats.offer(
      texts.flatMap(([value, label]) =>
        label === null ? [] : [{ value, label, problem: value === "all" ? missing : null }],
      ),
    );
  }

  #offerPlaces(format: string, missing: string | null, isMany: boolean): void {
    const places = (Object.keys(WHERES) as Where[]).filter((where) => where !== "clipboard" || format === "png");
    const problemOf = (where: Where) => (where === "notebook" ? missing : isMany ? MANY_FILES : null);
    this.#wheres.offer(places.map((value) => ({ value, label: WHERES[value].label, problem: problemOf(value) })));
  }

  /** Meanwhile the button does nothing; disabled, it would take the keyboard out of the dialog. */
  #wait(made: Promise<void> | null): void {
    this.#awaited = made;
    const waits = made === null ? null : "true";
    update(this.#submit, { "aria-busy": waits, "aria-disabled": waits });
  }

  async #send(): Promise<void> {
    const [format, what, where] = [this.#formats.value, this.#whats.value, this.#wheres.value];
    if (this.#awaited !== null || this.#submit.disabled) return;
    if (format === null || what === null || where === null) return;
    this.#isUsed = true;
    this.#problem.hidden = true;
    let made: Promise<void> | null = null;
    try {
      made = this.run({ format, what, ...this.#size.get(), where });
      this.#wait(made);
      await made;
      if (this.#awaited === made) this.node.close();
    } catch (error) {
      const sentence = sentenceOf(error);
      if (this.#awaited === made) this.#report(sentence);
      else this.fail(sentence);
    }
  }

  #report(sentence: string): void {
    this.#wait(null);
    setText(this.#problem, sentence);
    this.#problem.hidden = false;
    this.#problem.scrollIntoView({ block: "nearest" });
  }
}

/** Whether a press is outside of a dialog: its backdrop and its scroll bar are parts of it. */
function isBeside({ clientX: x, clientY: y }: PointerEvent, { left, right, top, bottom }: DOMRect): boolean {
  return x < left || x > right || y < top || y > bottom;
}

/** Keeps the focus inside with Tab, and the keys of the dialog from the explorer behind it. */
function keepInside(event: KeyboardEvent, dialog: HTMLDialogElement): void {
  event.stopPropagation();
  if (event.key !== "Tab") return;
  const all = [...dialog.querySelectorAll<HTMLInputElement>("button, input, select")];
  // Of radio buttons, Tab reaches the chosen one alone.
  const stops = all.filter(
    (each) => !each.disabled && each.checkVisibility() && (each.type !== "radio" || each.checked),
  );
  const [first, last] = [stops[0], stops.at(-1)];
  const from = event.shiftKey ? first : last;
  if (event.target !== from && event.target !== dialog) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
