/** A view for print: light, without controls, as wide as on the screen. */
import type { Signal } from "@preact/signals-core";
import type { Settings } from "../state/settings.ts";
import type { View } from "../view/view.ts";

/** Prepares a view for print at once. Returns a function that restores it. */
export function putOnPaper({ root, drawNow }: View, settings: Signal<Settings>): () => void {
  if (root.dataset.on === "paper") return () => {};
  const { width } = root.style;
  // The width stays that of the screen, however wide the sheet is.
  root.style.width = `${root.getBoundingClientRect().width}px`;
  root.dataset.on = "paper";
  settings.value = { ...settings.value, theme: "light" };
  drawNow();
  return () => {
    root.style.width = width;
    delete root.dataset.on;
    const { theme: _, ...others } = settings.value;
    settings.value = others;
    drawNow();
  };
}

/**
 * Replaces canvases by copies of their pixels. Chromium prints a canvas drawn since the last frame as its drawing
 * commands, and the command that clears it clears the page below. Returns a function that restores the canvases.
 */
function fixCanvases(root: HTMLElement): () => void {
  const drawn = [...root.querySelectorAll("canvas")].filter(({ width, height }) => width > 0 && height > 0);
  const fixed = drawn.map((canvas) => {
    const pixels = new OffscreenCanvas(canvas.width, canvas.height);
    pixels.getContext("2d")?.drawImage(canvas, 0, 0);
    const copy = canvas.cloneNode() as HTMLCanvasElement;
    copy.getContext("bitmaprenderer")?.transferFromImageBitmap(pixels.transferToImageBitmap());
    canvas.replaceWith(copy);
    return copy;
  });
  return () => {
    for (const [at, copy] of fixed.entries()) copy.replaceWith(drawn[at]!);
  };
}

/** Prepares the view when the browser prints the page; the browser does not wait for a frame. */
export function followPrinter(view: View, settings: Signal<Settings>): void {
  let putBack = (): void => {};
  const options = { signal: view.aborted };
  addEventListener(
    "beforeprint",
    () => {
      putBack();
      const lift = putOnPaper(view, settings);
      const unfix = fixCanvases(view.root);
      putBack = () => {
        unfix();
        lift();
        putBack = () => {};
      };
    },
    options,
  );
  addEventListener("afterprint", () => putBack(), options);
}
