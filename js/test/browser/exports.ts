/** Stands between the explorer and what a page would really download, or write to the clipboard. */
import { expect, onTestFinished, vi } from "vitest";
import type { Header } from "../../src/wire/protocol.ts";
import { kernel, type Mounted, mountDrawn } from "./mount.ts";

/** What the kernel was asked to make. */
export const asked = ({ model }: Mounted) => model.sent.filter((request) => request.type === "export");

export const dialogOf = ({ part }: Mounted): HTMLDialogElement => part<HTMLDialogElement>("export-dialog");

/** Opens the dialog as another part of the page does: another time changes nothing. */
export function openDialog(mounted: Mounted): void {
  for (const _turn of [1, 2]) mounted.root.dispatchEvent(new CustomEvent("ice-explorer:export"));
  expect(dialogOf(mounted).open).toBe(true);
}

/** An explorer with its export dialog open, by a kernel that makes these formats. */
export async function mountDialog(formats: Header["formats"] = kernel.header.formats): Promise<Mounted> {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", _header: { ...kernel.header, formats } }));
  openDialog(mounted);
  return mounted;
}

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
