/** The clipboard. Pages without https, and some frames, may not use it. */

import type { Outcome } from "./download.ts";

/** Copies an image that is still being created: Safari requires the call during the click. */
export async function copyPng(png: Promise<Blob>): Promise<Outcome> {
  const written = write(png);
  written.catch(() => {}); // an error of the picture itself is reported first
  await png;
  await written.catch(() => {
    throw new Error("The browser does not let this page use the clipboard. Download the PNG instead.");
  });
  return { text: "The picture is on the clipboard." };
}

async function write(png: Promise<Blob>): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
}

/** Copies a text; returns whether that was allowed. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
