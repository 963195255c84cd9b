/** The opacity of each curve: by its likelihood at a decay, and none where it is unlike the data. */

import { percent } from "../text/numbers.ts";
import type { CurvesBody } from "../wire/protocol.ts";
import { connectorOpacity } from "./geometry/levels.ts";
import { distances, GHOST_OPACITY, likelihood, segmentOpacity } from "./geometry/likelihood.ts";
import { nearestIndex, stepOpacity } from "./geometry/transforms.ts";
import type { Layout } from "./layout.ts";
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

  /** Curves fade by distance, and disappear where these flags are set; at equal weights neither. */
  constructor(
    private readonly plot: Pick<Layout, "scene" | "lines">,
    private readonly flags: Uint8Array | null = null,
  ) {
    const { curves } = plot.scene;
    this.#distance = curves.distances ?? distances(curves.grid, standIns(curves), curves.likelihood_scale);
    this.#perPoint = new Float32Array(curves.n_grid);
  }

  /** The opacity of a prediction with the value missing, which has distance 1 from every level. */
  ofMissing(decay: number): number {
    return faded(decay, 1);
  }

  /** Sets the opacity of the segments of some lines. */
  apply(decay: number, order: Uint32Array): void {
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
      else if (scene.kind !== "d-ice") this.#hide(decay, line, segmentOpacity(distance, nGrid, decay, out));
      else {
        const perInterval = segmentOpacity(distance, nGrid, decay, this.#perPoint.subarray(1));
        stepOpacity(this.#hide(decay, line, perInterval), nGrid - 1, out);
      }
    }
  }

  /** Opacity of a line's dots; the next call overwrites it. */
  ofDots(decay: number, line: number): Float32Array {
    const { n_grid: nGrid } = this.plot.scene.curves;
    for (let k = 0; k < nGrid; k++) this.#perPoint[k] = faded(decay, this.#distance[line * nGrid + k]!);
    this.#hide(decay, line, this.#perPoint.subarray(1));
    if (decay < 1 && this.flags?.[line * nGrid] === 1) this.#perPoint[0] = 0;
    return this.#perPoint;
  }

  /** Hides the segments of a line whose right end is unlike the data. */
  #hide(decay: number, line: number, opacity: Float32Array): Float32Array {
    const { flags } = this;
    if (flags === null || decay >= 1) return opacity;
    const first = line * this.plot.scene.curves.n_grid + 1;
    for (let k = 0; k < opacity.length; k++) if (flags[first + k] === 1) opacity[k] = 0;
    return opacity;
  }
}
