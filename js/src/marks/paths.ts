/** Single lines and bands drawn as vectors above the raster: the mean, the row under the pointer, selected rows. */
import { area, line } from "d3-shape";
import { svg } from "./element.ts";

export function linePath(x: ArrayLike<number>, y: (point: number) => number): string {
  const points = Array.from({ length: x.length }, (_, point) => point);
  const write = line<number>()
    .x((point) => x[point]!)
    .y(y)
    .defined((point) => Number.isFinite(y(point)))
    .digits(2);
  return write(points) ?? "";
}

export function bandPath(
  x: ArrayLike<number>,
  low: (point: number) => number,
  high: (point: number) => number,
): string {
  const points = Array.from({ length: x.length }, (_, point) => point);
  const write = area<number>()
    .x((point) => x[point]!)
    .y0(low)
    .y1(high)
    .defined((point) => Number.isFinite(low(point)) && Number.isFinite(high(point)))
    .digits(2);
  return write(points) ?? "";
}

/** A line with a rim in the colour of the paper, legible on any picture. */
export function haloed(d: string, name: string, attributes: Record<string, string | number> = {}): SVGGElement {
  return svg(
    "g",
    { class: name, ...attributes },
    svg("path", { class: "ice-halo", d }),
    svg("path", { class: "ice-stroke", d }),
  );
}
