/** The Export menu of a page without a kernel: a picture of the view, and its numbers. */

import type { Signal } from "@preact/signals-core";
import { useLayoutEffect } from "preact/hooks";
import { copyPng } from "../files/clipboard.ts";
import { download, type Outcome } from "../files/download.ts";
import { ExportMenu, type ExportNews } from "../files/export_menu.tsx";
import type { Settings } from "../state/settings.ts";
import type { Store } from "../state/store.ts";
import { drawnKind } from "../text/values.ts";
import { useView } from "../view/use_view.tsx";
import type { View } from "../view/view.ts";
import { csv, curvesColumns, curvesRows, RANKING_COLUMNS, rankingRows } from "./csv.ts";
import { portraitOf, rasterised } from "./page_png.ts";
import { followPrinter, putOnPaper } from "./paper.ts";
import { originOf, signed } from "./provenance.ts";

/** Makes the Export menu of a page; there is none in a frame, which may not save files. */
export const pageExport = (settings: Signal<Settings>, isFramed: boolean) =>
  function PageExport({ news }: { news: ExportNews }) {
    const view = useView();
    useLayoutEffect(() => followPrinter(view, settings), []);
    return isFramed ? null : <PageMenu news={news} settings={settings} />;
  };

function PageMenu({ news, settings }: { news: ExportNews; settings: Signal<Settings> }) {
  const view = useView();
  const { store } = view;
  const downloadPng = async () => download(await pngOf(view, settings), `${nameOf(store)}.png`);
  const groups = [
    {
      items: [
        { name: "png", label: "Download PNG", act: downloadPng },
        { name: "copy", label: "Copy PNG to the clipboard", act: () => copyPng(pngOf(view, settings)) },
      ],
    },
    {
      items: [
        { name: "curves", label: "Curves of the open feature as CSV", act: () => saveCurves(store) },
        { name: "ranking", label: "Ranking as CSV", act: () => saveRanking(store) },
      ],
    },
  ];
  return <ExportMenu title="Export" groups={groups} news={news} />;
}

/** The view at this moment, with its origin in the file. */
function pngOf(view: View, settings: Signal<Settings>): Promise<Blob> {
  const putBack = putOnPaper(view, settings);
  const portrait = portraitOf(view.root, document.querySelector("h1"));
  putBack();
  const origin = originOf(view.store.documentState(), document.title);
  return rasterised(portrait).then((png) => signed(png, origin));
}

function saveCurves(store: Store): Outcome {
  const curves = store.loaded.peek()?.curves;
  if (curves === undefined) throw new Error("There are no curves to save yet.");
  const kind = drawnKind(store.kind.peek(), curves.kind);
  const rows = curvesRows(curves, kind, store.anchor.peek(), store.decay.peek());
  return download(csv(curvesColumns(kind), rows), `${plainName(`curves of ${curves.feature}`)}.csv`);
}

function saveRanking(store: Store): Outcome {
  const rows = rankingRows(store.ranking.peek(), store.reading.peek()!);
  return download(csv(RANKING_COLUMNS, rows), "ranking.csv");
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
