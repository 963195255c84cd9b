/** The opacity of each curve at a decay, by its likelihood. */
import { connectorOpacity } from "../geometry/levels.ts";
import { distances, GHOST_OPACITY, likelihood, segmentOpacity } from "../geometry/likelihood.ts";
import { nearestIndex, stepOpacity } from "../geometry/transforms.ts";
import type { Curves } from "../wire/decode.ts";
import { percent } from "../words/numbers.ts";
import type { Drawable } from "./plot.ts";
import { standIns } from "./scene.ts";

const faded = (decay: number, distance: number): number =>
  decay >= 1 ? 1 : GHOST_OPACITY + (1 - GHOST_OPACITY) * decay ** distance;

/** The opacity of a prediction with the value missing, which has distance 1 from every level. */
export const missingOpacity = (decay: number): number => faded(decay, 1);

/** The weight of a grid value in the curve of a row, as a text; "" at the observed value, or if all values count. */
export function weightText(curves: Curves, line: number, point: number, decay: number): string {
  const { grid, nGrid, likelihoodScale } = curves;
  const own = standIns(curves)[line]!;
  if (decay >= 1 || point === nearestIndex(grid, own)) return "";
  const known = curves.distances?.[line * nGrid + point];
  const distance = known ?? distances([grid[point]!], [own], [likelihoodScale[line]!])[0]!;
  return percent(likelihood([distance], decay)[0]!);
}

export class Fade {
  readonly #distance: Float32Array;
  readonly #perPoint: Float32Array;

  constructor(private readonly plot: Pick<Drawable, "scene" | "lines">) {
    const { curves } = plot.scene;
    this.#distance = curves.distances ?? distances(curves.grid, standIns(curves), curves.likelihoodScale);
    this.#perPoint = new Float32Array(curves.nGrid);
  }

  /** Sets the opacity of the segments of some lines. */
  apply(decay: number, order: Uint32Array): void {
    const { scene, lines } = this.plot;
    const nGrid = scene.curves.nGrid;
    const nSegments = Math.max(0, lines.nPoints - 1);
    if (nGrid < 2) {
      lines.opacity.fill(1);
      return;
    }
    for (const line of order) {
      const distance = this.#distance.subarray(line * nGrid, (line + 1) * nGrid);
      const out = lines.opacity.subarray(line * nSegments, (line + 1) * nSegments);
      if (scene.onLevels) connectorOpacity(this.ofDots(decay, line), out);
      else if (scene.kind !== "d-ice") segmentOpacity(distance, nGrid, decay, out);
      else stepOpacity(segmentOpacity(distance, nGrid, decay, this.#perPoint.subarray(1)), nGrid - 1, out);
    }
  }

  /** Opacity of a line's dots; the next call overwrites it. */
  ofDots(decay: number, line: number): Float32Array {
    const { nGrid } = this.plot.scene.curves;
    for (let k = 0; k < nGrid; k++) this.#perPoint[k] = faded(decay, this.#distance[line * nGrid + k]!);
    return this.#perPoint;
  }
}
