/** Stands between the explorer and what a page would really download, or write to the clipboard. */
import { onTestFinished, vi } from "vitest";
import type { FakeModel } from "../../dev/recorded.ts";
import type { ExportBody, ExportRequest, Traits } from "../../src/wire/protocol.ts";
import { kernel, type Mounted } from "./mount.ts";

/** What the kernel was asked to make. */
export const asked = ({ model }: Mounted) => model.sent.filter((request) => request.type === "export");

export function caughtDownloads(): { name: string; contents: Promise<Blob> }[] {
  const caught: { name: string; contents: Promise<Blob> }[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    caught.push({ name: this.download, contents: fetch(this.href).then((response) => response.blob()) });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return caught;
}

/** Keeps what is written; refuses with an error where one is given. */
export function caughtClipboard(error?: Error): { items: ClipboardItem[]; texts: string[] } {
  const caught: { items: ClipboardItem[]; texts: string[] } = { items: [], texts: [] };
  const clipboard = {
    write: async (items: ClipboardItem[]) => {
      caught.items.push(...items);
      if (error !== undefined) throw error;
      for (const item of items) await item.getType("image/png");
    },
    writeText: async (text: string) => {
      if (error !== undefined) throw error;
      caught.texts.push(text);
    },
  };
  vi.spyOn(navigator, "clipboard", "get").mockReturnValue(clipboard as unknown as Clipboard);
  onTestFinished(() => void vi.restoreAllMocks());
  return caught;
}

/** An explorer with "Age" open, whose kernel answers a request for a file with a small one. */
export function exporter(traits: Partial<Traits> = {}): FakeModel {
  const model = kernel.model({ feature: "Age", ...traits });
  const { answer } = model;
  model.answer = (request) =>
    request.type === "export"
      ? { reply: { id: request.id, type: "result", body: exported(request) } }
      : answer(request);
  return model;
}

/** One black pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#eef"/></svg>';

function exported({ format, to, state }: ExportRequest): ExportBody {
  const filename = `${state.feature}.${format}`;
  const path = to === "notebook" ? `/home/reader/notebooks/${filename}` : null;
  const bytes = Uint8Array.from(format === "png" ? atob(PNG) : SVG, (letter) => letter.charCodeAt(0));
  const mime = format === "svg" ? "image/svg+xml" : `image/${format}`;
  return { filename, mime, path, content: path === null ? bytes : null };
}
