/** Saves what is shown as a file: a menu for the usual ways, and a dialog for all of them. */

import { effect } from "@preact/signals-core";
import { html, setText } from "../../elements/element.ts";
import { atEnd } from "../../elements/lifetime.ts";
import { ExportNews } from "../../files/outcome.ts";
import { carryOut, titleOf, type Wish } from "../../files/save.ts";
import { menuButton } from "../../view/menu.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import { exportDialog } from "./dialog.ts";

/** Event on the explorer's root that opens the dialog. */
const ASKED = "ice-explorer:export";
const NOTHING_YET = "There is nothing to export until curves are drawn.";

const ITEMS = {
  svg: { label: "Download SVG", where: "download" },
  png: { label: "Download PNG", where: "download" },
  copy: { label: "Copy PNG to the clipboard", where: "clipboard" },
  notebook: { label: "Save next to the notebook", where: "notebook" },
} as const;

const BESIDE = Object.keys(ITEMS).indexOf("notebook");

export interface ExportPanel {
  /** The button and its menu. */
  button: HTMLElement;
  /** What became of the last export. */
  news: HTMLElement;
}

export function exportPanel(view: View): ExportPanel {
  const { store, root, aborted } = view;
  const options = { signal: aborted };
  const news = new ExportNews(aborted, () => button.focus({ preventScroll: true }));
  const save = async (wish: Wish): Promise<void> => {
    news.clear();
    news.tell(await carryOut(store, wish));
  };
  const dialog = exportDialog(view, save, (sentence) => news.fail(sentence));
  /** The one that JupyterLab is set to, if this kernel can make it. */
  const usualFormat = (): string => {
    const { format } = store.settings.peek();
    return (
      store.figures.peek()?.header.formats.find(({ name, problem }) => name === format && problem === null)?.name ??
      "svg"
    );
  };
  const wishOf = (name: keyof typeof ITEMS): Wish => {
    const { width = null, dpi = null } = store.settings.peek();
    const formats = { svg: "svg", png: "png", copy: "png", notebook: usualFormat() };
    return { format: formats[name], what: "view", width, dpi, title: true, where: ITEMS[name].where };
  };
  const names = Object.keys(ITEMS) as (keyof typeof ITEMS)[];
  const { button, menu, items, close } = menuButton(
    view,
    { name: "export", label: "Export", title: "Export the view" },
    [
      ...names.map((name) => ({ name, label: ITEMS[name].label, act: () => void run(wishOf(name)) })),
      { name: "more", label: "More …", act: () => more(), apart: true },
    ],
    () => setText(items[BESIDE]!, `Save ${titleOf(usualFormat())} next to the notebook`),
  );
  const more = (): void => {
    close(true);
    dialog.open();
  };
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

  root.addEventListener(
    ASKED,
    () => {
      close(false);
      if (button.disabled) news.fail(NOTHING_YET);
      else dialog.open();
    },
    options,
  );
  const ended = effect(() => {
    button.disabled = store.picture.value.state !== "ready";
  });
  atEnd(aborted, ended);
  return { button: html("div", { class: "ice-export" }, button, menu, dialog.node), news: news.node };
}
