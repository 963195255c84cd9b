/** Stands between the explorer and what a page would really download, or write to the clipboard. */
import { onTestFinished, vi } from "vitest";
import type { Mounted } from "./mount.ts";

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
