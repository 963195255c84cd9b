/** Layers of a plot, on top of each other. */
export interface LayerSize {
  width: number;
  height: number;
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
