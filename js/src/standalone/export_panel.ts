/** The Export menu of a page without a kernel: a picture of the view, and its numbers. */

import type { Signal } from "@preact/signals-core";
import { copyPng } from "../files/clipboard.ts";
import { download } from "../files/download.ts";
import { ExportNews } from "../files/outcome.ts";
import type { Settings } from "../state/settings.ts";
import { loadedOf, type Store } from "../state/store.ts";
import { drawnKind } from "../text/values.ts";
import { html } from "../ui/element.ts";
import { react } from "../ui/lifetime.ts";
import { menuButton } from "../view/menu.ts";
import type { View } from "../view/view.ts";
import { sentenceOf } from "../wire/client.ts";
import { csv, curvesColumns, curvesRows, RANKING_COLUMNS, rankingRows } from "./csv.ts";
import { portraitOf, rasterised } from "./page_png.ts";
import { putOnPaper } from "./paper.ts";
import { originOf, signed } from "./provenance.ts";

/** The page that an explorer is saved in. */
interface Page {
  title: string;
  /** Its style sheet. */
  styles: string;
}

export function takePanel(
  view: View,
  settings: Signal<Settings>,
  page: Page,
): { button: HTMLElement; news: HTMLElement } {
  const { store, aborted } = view;
  const news = new ExportNews(aborted, () => button.focus({ preventScroll: true }));
  const run = async (act: () => string | Promise<string>): Promise<void> => {
    close(true);
    news.clear();
    button.setAttribute("aria-busy", "true");
    try {
      news.tell({ text: await act(), path: null });
    } catch (error) {
      news.fail(sentenceOf(error));
    } finally {
      button.removeAttribute("aria-busy");
    }
  };
  const picture = () => pngOf(view, settings, page);
  const downloaded = async () => save(await picture(), `${nameOf(store)}.png`);
  const copied = () => copyPng(picture()).then(() => "The picture is on the clipboard.");
  const { button, menu, close } = menuButton(view, { name: "export", label: "Export", title: "Export" }, [
    { name: "png", label: "Download PNG", act: () => void run(downloaded) },
    { name: "copy", label: "Copy PNG to the clipboard", act: () => void run(copied) },
    {
      name: "curves",
      label: "Curves of the open feature as CSV",
      act: () => void run(() => saveCurves(store)),
      apart: true,
    },
    { name: "ranking", label: "Ranking as CSV", act: () => void run(() => saveRanking(store)) },
  ]);
  react(aborted, () => {
    button.disabled = store.picture.value.state !== "ready";
  });
  return { button: html("div", { class: "ice-export" }, button, menu), news: news.node };
}

/** The view at this moment, with its origin in the file. */
function pngOf(view: View, settings: Signal<Settings>, { title, styles }: Page): Promise<Blob> {
  const putBack = putOnPaper(view, settings);
  const portrait = portraitOf(view.root, document.querySelector("h1"), styles);
  putBack();
  const origin = originOf(view.store.documentState(), title);
  return rasterised(portrait).then((png) => signed(png, origin));
}

function save(file: Blob, name: string): string {
  download(file, name);
  return `The browser saves it as ${name}.`;
}

function saveCurves(store: Store): string {
  const curves = loadedOf(store.picture.peek())?.curves;
  if (curves === undefined) throw new Error("There are no curves to save yet.");
  const kind = drawnKind(store.kind.peek(), curves.kind);
  const rows = curvesRows(curves, kind, store.anchor.peek(), store.decay.peek());
  return save(csv(curvesColumns(kind), rows), `${plainName(`curves of ${curves.feature}`)}.csv`);
}

function saveRanking(store: Store): string {
  const rows = rankingRows(store.ranking.peek(), store.reading.peek()!);
  return save(csv(RANKING_COLUMNS, rows), "ranking.csv");
}

/** The name of a file with the view. */
function nameOf({ kind, remembered, feature }: Store): string {
  const shown = remembered.of("right").peek() === "all" ? "all features" : feature.peek();
  return plainName(`${kind.peek()} of ${shown}`);
}

/** In letters that every system allows in the name of a file. */
function plainName(text: string): string {
  const words = text.normalize("NFC").match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  return words.join("-").slice(0, 60);
}
