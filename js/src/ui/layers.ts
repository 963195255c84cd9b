/** Layers of a plot, on top of each other: for marks, and for pixels. */
import { svg, update } from "./element.ts";

export interface LayerSize {
  width: number;
  height: number;
}

/** A layer of marks, which screen readers skip. */
export const markLayer = (): SVGSVGElement => svg("svg", { class: "ice-layer", "aria-hidden": "true" });

export function fitMarks(layer: SVGSVGElement, { width, height }: LayerSize): void {
  update(layer, { viewBox: `0 0 ${width} ${height}`, width, height });
}

/** Clears a layer of pixels, and lets its pen draw in px of the page. */
export function fitPixels(
  pen: CanvasRenderingContext2D,
  { width, height, ratio }: LayerSize & { ratio: number },
): void {
  const { canvas } = pen;
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  pen.scale(ratio, ratio);
}
