/** How large a part of the page is, followed as it changes. */
import { type ReadonlySignal, signal } from "@preact/signals-core";

/** In CSS px; `ratio` is the number of screen pixels per CSS px. */
export interface Size {
  width: number;
  height: number;
  ratio: number;
}

/** The size of the plot, and the pixel ratio of the screen, which changes with zoom and between screens. */
export function followSize(frame: HTMLElement, aborted: AbortSignal): ReadonlySignal<Size> {
  const size = signal<Size>({ width: 0, height: 0, ratio: 1 });
  const measure = (): void => {
    const width = Math.floor(frame.clientWidth);
    const height = Math.floor(frame.clientHeight);
    const ratio = window.devicePixelRatio || 1;
    const before = size.peek();
    if (width === 0 || (before.width === width && before.height === height && before.ratio === ratio)) return;
    size.value = { width, height, ratio };
  };
  const observer = new ResizeObserver(measure);
  observer.observe(frame);
  aborted.addEventListener("abort", () => observer.disconnect(), { once: true });
  const followRatio = (): void => {
    const query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = (): void => {
      measure();
      followRatio();
    };
    query.addEventListener("change", changed, { once: true, signal: aborted });
  };
  followRatio();
  return size;
}
