/** What can be taken from a page without a kernel: a picture of it, and the numbers in it. */

import { effect, type Signal } from "@preact/signals-core";
import { html } from "../elements/element.ts";
import { atEnd } from "../elements/lifetime.ts";
import { copyPng } from "../files/clipboard.ts";
import { download } from "../files/download.ts";
import { ExportNews } from "../files/outcome.ts";
import type { Settings } from "../store/settings.ts";
import { loadedOf } from "../store/store.ts";
import { menuButton } from "../view/menu.ts";
import type { View } from "../view/view.ts";
import { sentenceOf } from "../wire/client.ts";
import { CURVES_COLUMNS, csv, curvesRows, RANKING_COLUMNS, rankingRows } from "./csv.ts";
import { portraitOf, rasterised } from "./page_png.ts";
import { putOnPaper } from "./paper.ts";
import { originOf, signed } from "./provenance.ts";

/** `title` is that of the page, and `styles` its style sheet. */
export function takePanel(
  view: View,
  settings: Signal<Settings>,
  { title, styles }: { title: string; styles: string },
): { button: HTMLElement; news: HTMLElement } {
  const { store, root, aborted } = view;
  const news = new ExportNews(aborted, () => button.focus({ preventScroll: true }));
  const origin = () => originOf(store.documentState(), title);
  const png = (): Promise<Blob> => {
    const putBack = putOnPaper(view, settings);
    const portrait = portraitOf(root, document.querySelector("h1"), styles);
    putBack();
    const about = origin();
    return rasterised(portrait).then((drawn) => signed(drawn, about));
  };
  const save = (file: Blob, name: string): string => {
    download(file, name);
    return `The browser saves it as ${name}.`;
  };
  const curves = (): string => {
    const loaded = loadedOf(store.picture.peek());
    if (loaded === null) throw new Error("There are no curves to save yet.");
    const about = { ...origin(), rows_drawn: loaded.curves.nLines };
    const rows = curvesRows(loaded.curves, store.anchor.peek(), store.decay.peek());
    return save(csv(about, CURVES_COLUMNS, rows), `${plainName(`curves of ${loaded.curves.feature}`)}.csv`);
  };
  const ranking = (): string => {
    const rows = rankingRows(store.ranking.peek(), store.reading.peek()!);
    return save(csv(origin(), RANKING_COLUMNS, rows), "ranking.csv");
  };
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
  const copied = () => copyPng(png()).then(() => "The picture is on the clipboard.");
  const { button, menu, close } = menuButton(view, { name: "export", label: "Export", title: "Export" }, [
    { name: "png", label: "Download PNG", act: () => void run(async () => save(await png(), `${ofShown()}.png`)) },
    { name: "copy", label: "Copy PNG to the clipboard", act: () => void run(copied) },
    { name: "curves", label: "Curves of the open feature as CSV", act: () => void run(curves), apart: true },
    { name: "ranking", label: "Ranking as CSV", act: () => void run(ranking) },
  ]);
  const ofShown = (): string =>
    plainName(
      `${store.kind.peek()} of ${store.remembered.of("right").peek() === "all" ? "all features" : store.feature.peek()}`,
    );
  const ended = effect(() => {
    button.disabled = store.picture.value.state !== "ready";
  });
  atEnd(aborted, ended);
  return { button: html("div", { class: "ice-export" }, button, menu), news: news.node };
}

/** In letters that every system allows in the name of a file. */
function plainName(text: string): string {
  const words = text.normalize("NFC").match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  return words.join("-").slice(0, 60);
}
