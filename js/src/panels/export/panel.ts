/** Saves the view as a file: a menu of figures, tables, a page and the result. */

import { ExportNews } from "../../files/outcome.ts";
import { carryOut, FIGURES, titleOf, type Wish } from "../../files/save.ts";
import type { Store } from "../../state/store.ts";
import { html, setText } from "../../ui/element.ts";
import { react } from "../../ui/lifetime.ts";
import { type MenuItem, menuButton } from "../../view/menu.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import type { What } from "../../wire/protocol.ts";

/** Event on the explorer's root that opens the menu. */
const OPEN_MENU = "ice-explorer:export";
const NOTHING_YET = "There is nothing to export until curves are drawn.";

/** Figures for a column and for a page of a paper; widths in mm. */
const SIZES = [
  { name: "column", heading: "Curves, 89 mm wide", what: "panel", width: 89 },
  { name: "page", heading: "Ranking and curves, 183 mm wide", what: "view", width: 183 },
] as const;

export interface ExportPanel {
  /** The button and its menu. */
  button: HTMLElement;
  /** The message about the last export. */
  news: HTMLElement;
}

export function exportPanel(view: View): ExportPanel {
  const { store, root, aborted } = view;
  const news = new ExportNews(aborted, () => button.focus({ preventScroll: true }));
  const run = async (wish: Wish): Promise<void> => {
    close(true);
    button.setAttribute("aria-busy", "true");
    news.clear();
    try {
      news.tell(await carryOut(store, wish));
    } catch (error) {
      if (!(error instanceof Cancelled)) news.fail(sentenceOf(error));
    } finally {
      button.removeAttribute("aria-busy");
    }
  };
  const { button, menu, items, open, close } = menuButton(
    view,
    { name: "export", label: "Export", title: "Export the view" },
    itemsOf(store, run),
    () => {
      const feature = store.feature.peek();
      for (const item of items) {
        if (item.dataset.test === "export-notebook") {
          setText(item, `Save ${titleOf(usualFormat(store))} next to the notebook`);
        } else if (item.dataset.test === "export-curves") setText(item, `Curves of ${feature} (.csv)`);
      }
    },
  );
  const openAlone = (): void => {
    close(false);
    if (button.disabled) news.fail(NOTHING_YET);
    else open();
  };
  root.addEventListener(OPEN_MENU, openAlone, { signal: aborted });
  react(aborted, () => {
    button.disabled = store.picture.value.state !== "ready";
  });
  return { button: html("div", { class: "ice-export" }, button, menu), news: news.node };
}

function itemsOf(store: Store, run: (wish: Wish) => Promise<void>): MenuItem[] {
  const usual = { what: "view", width: null, dpi: null, title: true, where: "download" } as const;
  const file = (name: string, label: string, format: string, what: What = "view"): MenuItem => ({
    name,
    label,
    act: () => void run({ ...usual, format, what }),
  });
  const figures = SIZES.flatMap(({ name, heading, what, width }) =>
    FIGURES.map((format) => ({
      name: `${name}-${format}`,
      label: titleOf(format),
      heading,
      act: () => void run({ ...usual, format, what, width, dpi: store.settings.peek().dpi ?? null }),
    })),
  );
  const set = (): Pick<Wish, "width" | "dpi"> => {
    const { width = null, dpi = null } = store.settings.peek();
    return { width, dpi };
  };
  const copy = (): void => void run({ ...usual, ...set(), format: "png", where: "clipboard" });
  const keep = (): void => void run({ ...usual, ...set(), format: usualFormat(store), where: "notebook" });
  return [
    ...figures,
    { name: "copy", label: "Copy PNG to the clipboard", act: copy, apart: true },
    { name: "notebook", label: "", act: keep },
    { ...file("metrics", "Metrics of all features (.csv)", "csv"), apart: true },
    file("curves", "", "csv", "panel"),
    { ...file("html", "Page that works without a kernel (.html)", "html"), apart: true },
    file("ice", "Result for ice.load (.ice)", "ice"),
  ];
}

/** The format set in JupyterLab, if this kernel can make it. */
function usualFormat({ settings, figures }: Store): string {
  const { format } = settings.peek();
  const offered = figures.peek()?.header.formats.find(({ name, problem }) => name === format && problem === null);
  return offered?.name ?? "svg";
}
