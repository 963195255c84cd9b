/** The distance of each grid value from the observed value, and the opacity of the segment there. */

/** The least opacity of a segment, far from the observed value. */
export const GHOST_OPACITY = 0.06;

/**
 * |v_k - x_i| / s_i for every line and grid value, row by row: the exponent of the decay. A scale of 0 gives 0 at the
 * observed value of the observation and Infinity elsewhere.
 */
export function distances(
  grid: ArrayLike<number>,
  observed: ArrayLike<number>,
  scale: ArrayLike<number>,
): Float32Array<ArrayBuffer> {
  const nGrid = grid.length;
  const result = new Float32Array(observed.length * nGrid);
  for (let i = 0; i < observed.length; i++) {
    for (let k = 0; k < nGrid; k++) {
      const gap = Math.abs(grid[k]! - observed[i]!);
      result[i * nGrid + k] = gap === 0 ? 0 : gap / scale[i]!;
    }
  }
  return result;
}

/** decay ** distance, 0 at an infinite distance whatever the decay. */
export function likelihood(distance: ArrayLike<number>, decay: number): Float32Array<ArrayBuffer> {
  const result = new Float32Array(distance.length);
  for (let z = 0; z < result.length; z++) {
    const d = distance[z]!;
    result[z] = d === Infinity ? 0 : decay ** d;
  }
  return result;
}

/**
 * Opacity of every segment, faded by the likelihood at its right end as the metric weighs it. Writes into `out` if
 * given, because the slider needs one in every frame.
 */
export function segmentOpacity(distance: Float32Array, nGrid: number, decay: number, out?: Float32Array): Float32Array {
  const nLines = nGrid > 0 ? distance.length / nGrid : 0;
  const nSegments = Math.max(0, nGrid - 1);
  const result = out ?? new Float32Array(nLines * nSegments);
  if (decay >= 1) return result.fill(1);
  const rate = Math.log(decay);
  for (let i = 0, z = 0; i < nLines; i++) {
    for (let k = 1; k < nGrid; k++) {
      result[z++] = GHOST_OPACITY + (1 - GHOST_OPACITY) * Math.exp(rate * distance[i * nGrid + k]!);
    }
  }
  return result;
}
