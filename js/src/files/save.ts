/**
 * Saves the view: the kernel creates the file; it is downloaded, copied to the clipboard, or saved next to the notebook.
 * If the kernel cannot write PNG, the browser draws the SVG on a canvas.
 */
import type { Store } from "../store/store.ts";
import type { ExportBody, FormatHead, What } from "../wire/protocol.ts";
import { copyPng } from "./clipboard.ts";
import { download } from "./download.ts";

/** Default size of an SVG and of a PNG. */
const SVG_DPI = 96;
const PNG_DPI = 300;

/** Formats that have a size; those of numbers have none. */
export const FIGURES = ["svg", "png", "pdf"];

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

async function rasterise(svg: Blob, dpi: number): Promise<Blob> {
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round((image.naturalWidth * dpi) / SVG_DPI);
    canvas.height = Math.round((image.naturalHeight * dpi) / SVG_DPI);
    const pen = canvas.getContext("2d");
    if (pen === null || canvas.width === 0 || canvas.height === 0) {
      throw new Error("This browser cannot draw the picture; save it as SVG instead.");
    }
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      const done = (png: Blob | null) =>
        png === null ? reject(new Error("The PNG is empty; save it as SVG instead.")) : resolve(png);
      canvas.toBlob(done, "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function ask(store: Store, wish: Wish, to: "browser" | "notebook"): Promise<{ body: ExportBody; file: Blob }> {
  const { format, what, title } = wish;
  const { width, dpi } = FIGURES.includes(format) ? wish : { width: null, dpi: null };
  const [state, choices] = [store.documentState(), store.remembered.chosen()];
  const request = { type: "export", format, what, width, dpi, title, to, state, choices } as const;
  const body = await store.client.request(request);
  return { body, file: new Blob(body.content === null ? [] : [body.content as BlobPart], { type: body.mime }) };
}

/** Whether the browser makes the file because the kernel cannot, for downloads and the clipboard. */
export const isDrawnHere = (format: FormatHead | undefined): boolean =>
  format?.name === "png" && format.problem !== null;

async function fileOf(store: Store, wish: Wish): Promise<{ name: string; file: Blob }> {
  const format = store.figures.peek()?.header.formats.find(({ name }) => name === wish.format);
  if (!isDrawnHere(format)) {
    const { body, file } = await ask(store, wish, "browser");
    return { name: body.filename, file };
  }
  const { body, file } = await ask(store, { ...wish, format: "svg" }, "browser");
  return { name: body.filename.replace(/\.svg$/, ".png"), file: await rasterise(file, wish.dpi ?? PNG_DPI) };
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
