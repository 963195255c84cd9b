/** Saves the view as a file: a menu of the usual exports, and a dialog of all options. */

import { html, setText } from "../../elements/element.ts";
import { react } from "../../elements/lifetime.ts";
import { ExportNews } from "../../files/outcome.ts";
import { carryOut, titleOf, type Wish } from "../../files/save.ts";
import type { Store } from "../../store/store.ts";
import { menuButton } from "../../view/menu.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import { ExportDialog } from "./dialog.ts";

/** Event on the explorer's root that opens the dialog. */
const OPEN_DIALOG = "ice-explorer:export";
const NOTHING_YET = "There is nothing to export until curves are drawn.";

const ITEMS = {
  svg: { label: "Download SVG", where: "download" },
  png: { label: "Download PNG", where: "download" },
  copy: { label: "Copy PNG to the clipboard", where: "clipboard" },
  notebook: { label: "Save next to the notebook", where: "notebook" },
  ice: { label: "Download result (.ice)", where: "download" },
} as const;

const NAMES = Object.keys(ITEMS) as (keyof typeof ITEMS)[];
const IN_NOTEBOOK = NAMES.indexOf("notebook");

export interface ExportPanel {
  /** The button and its menu. */
  button: HTMLElement;
  /** The message about the last export. */
  news: HTMLElement;
}

export function exportPanel(view: View): ExportPanel {
  const { store, root, aborted } = view;
  const news = new ExportNews(aborted, () => button.focus({ preventScroll: true }));
  const save = async (wish: Wish): Promise<void> => {
    news.clear();
    news.tell(await carryOut(store, wish));
  };
  const dialog = new ExportDialog(view, save, (sentence) => news.fail(sentence));
  const run = async (wish: Wish): Promise<void> => {
    close(true);
    button.setAttribute("aria-busy", "true");
    try {
      await save(wish);
    } catch (error) {
      if (error instanceof Cancelled) return;
      news.fail(sentenceOf(error));
    } finally {
      button.removeAttribute("aria-busy");
    }
  };
  const more = (): void => {
    close(true);
    dialog.open();
  };
  const { button, menu, items, close } = menuButton(
    view,
    { name: "export", label: "Export", title: "Export the view" },
    [
      ...NAMES.map((name) => ({ name, label: ITEMS[name].label, act: () => void run(wishOf(store, name)) })),
      { name: "more", label: "More …", act: more, apart: true },
    ],
    () => setText(items[IN_NOTEBOOK]!, `Save ${titleOf(usualFormat(store))} next to the notebook`),
  );
  const open = (): void => {
    close(false);
    if (button.disabled) news.fail(NOTHING_YET);
    else dialog.open();
  };
  root.addEventListener(OPEN_DIALOG, open, { signal: aborted });
  react(aborted, () => {
    button.disabled = store.picture.value.state !== "ready";
  });
  return { button: html("div", { class: "ice-export" }, button, menu, dialog.node), news: news.node };
}

/** The format set in JupyterLab, if this kernel can make it. */
function usualFormat({ settings, figures }: Store): string {
  const { format } = settings.peek();
  const offered = figures.peek()?.header.formats.find(({ name, problem }) => name === format && problem === null);
  return offered?.name ?? "svg";
}

function wishOf(store: Store, name: keyof typeof ITEMS): Wish {
  const { width = null, dpi = null } = store.settings.peek();
  const formats = { svg: "svg", png: "png", copy: "png", notebook: usualFormat(store), ice: "ice" };
  return { format: formats[name], what: "view", width, dpi, title: true, where: ITEMS[name].where };
}
