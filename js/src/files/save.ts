/** Saves the view: the kernel creates the file; it is downloaded, copied to the clipboard, or saved next to the notebook. */
import type { Store } from "../state/store.ts";
import type { ExportBody, What } from "../wire/protocol.ts";
import { copyPng } from "./clipboard.ts";
import { download } from "./download.ts";

/** Formats that have a size; those of numbers have none. */
export const FIGURES = ["svg", "pdf", "png"];

export type Where = "download" | "clipboard" | "notebook";

export interface Wish {
  format: string;
  what: What;
  /** In mm; null is the usual one. */
  width: number | null;
  dpi: number | null;
  title: boolean;
  where: Where;
}

/** The result as a sentence, and the path if the kernel wrote the file. */
export interface Outcome {
  text: string;
  path: string | null;
}

const TITLES: Record<string, string> = { parquet: "Parquet", ice: "Result (.ice)" };

export const titleOf = (format: string): string => TITLES[format] ?? format.toUpperCase();

async function ask(store: Store, wish: Wish, to: "browser" | "notebook"): Promise<{ body: ExportBody; file: Blob }> {
  const { format, what, title } = wish;
  const { width, dpi } = FIGURES.includes(format) ? wish : { width: null, dpi: null };
  const [state, choices] = [store.documentState(), store.remembered.chosen()];
  const request = { type: "export", format, what, width, dpi, title, to, state, choices } as const;
  const body = await store.client.request(request);
  return { body, file: new Blob(body.content === null ? [] : [body.content as BlobPart], { type: body.mime }) };
}

async function fileOf(store: Store, wish: Wish): Promise<{ name: string; file: Blob }> {
  const { body, file } = await ask(store, wish, "browser");
  return { name: body.filename, file };
}

export async function carryOut(store: Store, wish: Wish): Promise<Outcome> {
  if (wish.where === "notebook") {
    const { body } = await ask(store, wish, "notebook");
    return { text: "Saved as", path: body.path };
  }
  if (wish.where === "clipboard") {
    await copyPng(fileOf(store, wish).then(({ file }) => file));
    return { text: "The picture is on the clipboard.", path: null };
  }
  const { name, file } = await fileOf(store, wish);
  download(file, name);
  return { text: `The browser saves it as ${name}.`, path: null };
}
