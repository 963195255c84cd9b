/** Dots at the observed values. */

export interface Dots {
  x: Float32Array;
  y: Float32Array;
  colors: (index: number) => string;
  /** Indices of the dots that are drawn, in drawing order. */
  order: Uint32Array;
  opacity: number;
  radius: number;
}

export function drawDots(pen: CanvasRenderingContext2D, dots: Dots, rim: string): void {
  pen.globalAlpha = dots.opacity;
  pen.strokeStyle = rim;
  pen.lineWidth = 1;
  for (const index of dots.order) {
    const x = dots.x[index]!;
    const y = dots.y[index]!;
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    pen.fillStyle = dots.colors(index);
    pen.beginPath();
    pen.arc(x, y, dots.radius, 0, 2 * Math.PI);
    pen.fill();
    if (dots.radius >= 2) pen.stroke();
  }
  pen.globalAlpha = 1;
}
