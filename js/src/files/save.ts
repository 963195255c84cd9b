/** Saves the view: the kernel creates the file; it is downloaded, copied to the clipboard, or saved next to the notebook. */
import type { Store } from "../state/store.ts";
import { copyPng } from "./clipboard.ts";
import { download, type Outcome } from "./download.ts";

/** Formats that have a size; those of numbers have none. */
export const FIGURES = ["svg", "pdf", "png"];

export interface Wish {
  format: string;
  what?: "view" | "panel";
  /** In mm; null is the usual one. */
  width?: number | null;
  dpi?: number | null;
  where?: "download" | "clipboard" | "notebook";
}

const TITLES: Record<string, string> = { parquet: "Parquet", ice: "Result (.ice)" };

export const titleOf = (format: string): string => TITLES[format] ?? format.toUpperCase();

export async function save(
  store: Store,
  { format, what = "view", where = "download", ...size }: Wish,
): Promise<Outcome> {
  const { width = null, dpi = null } = FIGURES.includes(format) ? size : {};
  const made = store.client.request({
    type: "export",
    ...{ format, what, width, dpi },
    to: where === "notebook" ? "notebook" : "browser",
    state: store.documentState(),
    choices: store.remembered.chosen(),
  });
  if (where === "notebook") return { text: "Saved as", path: (await made).path };
  const file = made.then(
    ({ content, mime }) => new Blob(content === null ? [] : [content as BlobPart], { type: mime }),
  );
  return where === "clipboard" ? copyPng(file) : download(await file, (await made).filename);
}
