/** The opacity of each curve: by its likelihood at a decay, or where it is unlike the data. */
import { connectorOpacity } from "../geometry/levels.ts";
import { distances, GHOST_OPACITY, likelihood, segmentOpacity } from "../geometry/likelihood.ts";
import { nearestIndex, stepOpacity } from "../geometry/transforms.ts";
import type { CurvesBody } from "../wire/protocol.ts";
import { percent } from "../words/numbers.ts";
import type { Drawable } from "./plot.ts";
import { standIns } from "./scene.ts";

const faded = (decay: number, distance: number): number =>
  decay >= 1 ? 1 : GHOST_OPACITY + (1 - GHOST_OPACITY) * decay ** distance;

/** The weight of a grid value in the curve of a row, as a text; "" at the observed value, or if all values count. */
export function weightText(curves: CurvesBody, line: number, point: number, decay: number): string {
  const { grid, n_grid: nGrid, likelihood_scale: likelihoodScale } = curves;
  const own = standIns(curves)[line]!;
  if (decay >= 1 || point === nearestIndex(grid, own)) return "";
  const known = curves.distances?.[line * nGrid + point];
  const distance = known ?? distances([grid[point]!], [own], [likelihoodScale[line]!])[0]!;
  return percent(likelihood([distance], decay)[0]!);
}

export class Fade {
  readonly #distance: Float32Array;
  readonly #perPoint: Float32Array;

  /** Curves fade by distance, or where these flags are set, whatever the decay. */
  constructor(
    private readonly plot: Pick<Drawable, "scene" | "lines">,
    private readonly flags: Uint8Array | null = null,
  ) {
    const { curves } = plot.scene;
    this.#distance =
      flags === null
        ? (curves.distances ?? distances(curves.grid, standIns(curves), curves.likelihood_scale))
        : Float32Array.from(flags, (flag) => (flag === 1 ? Number.POSITIVE_INFINITY : 0));
    this.#perPoint = new Float32Array(curves.n_grid);
  }

  /** The opacity of a prediction with the value missing, which has distance 1 from every level. */
  ofMissing(decay: number): number {
    return this.flags === null ? faded(decay, 1) : 1;
  }

  /** Any decay but 1: flags are at no distance, or infinitely far. */
  #decay(decay: number): number {
    return this.flags === null ? decay : 0.5;
  }

  /** Sets the opacity of the segments of some lines. */
  apply(given: number, order: Uint32Array): void {
    const decay = this.#decay(given);
    const { scene, lines } = this.plot;
    const nGrid = scene.curves.n_grid;
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
  ofDots(given: number, line: number): Float32Array {
    const decay = this.#decay(given);
    const { n_grid: nGrid } = this.plot.scene.curves;
    for (let k = 0; k < nGrid; k++) this.#perPoint[k] = faded(decay, this.#distance[line * nGrid + k]!);
    return this.#perPoint;
  }
}
