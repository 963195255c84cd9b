/** Where the data lie: bars on a baseline, as wide as their bins. */
import { max } from "d3-array";
import type { Scale } from "./axis.ts";
import { svg } from "./element.ts";

export function histogram(
  edges: Float64Array,
  counts: Float64Array,
  x: Scale,
  bottom: number,
  height: number,
): SVGPathElement {
  const tallest = max(counts) ?? 0;
  const [left = 0, right = 0] = x.range();
  let path = "";
  for (const [bin, count] of counts.entries()) {
    if (count === 0 || tallest === 0) continue;
    const from = Math.max(left, x(edges[bin]!));
    const to = Math.min(right, x(edges[bin + 1]!));
    // A bin that holds a single observation among thousands still shows.
    const tall = Math.max(1, (count / tallest) * height);
    const gap = to - from > 3 ? 0.5 : 0;
    path += `M${from + gap},${bottom}V${bottom - tall}H${to - gap}V${bottom}Z`;
  }
  return svg("path", { class: "ice-histogram", d: path, "data-test": "histogram" });
}
