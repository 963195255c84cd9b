/** ALE as a line of a scene. */

import { isUnordered } from "../text/values.ts";
import type { EffectsBody } from "../wire/protocol.ts";
import type { Scene } from "./scene.ts";

/** Values on the axis, and heights relative to the scene's base. */
export interface AleLine {
  x: Float64Array;
  values: Float64Array;
}

/**
 * On ICE, ALE is shifted to the mean prediction. On c-ICE it is 0 at the anchor; where each curve is 0 at its observed
 * value, its mean over the observations is 0. Slopes have none.
 */
export function aleLine(
  { kind, base, anchoredAt, curves }: Scene,
  { grid, ale, ...effects }: EffectsBody,
): AleLine | null {
  if (kind === "d-ice") return null;
  const atAnchor = anchoredAt === null ? 0 : heightAt(grid, ale, anchoredAt, isUnordered(curves.kind));
  const shift = kind === "ice" ? effects.mean_prediction - base : -atAnchor;
  return { x: grid, values: Float64Array.from(ale, (height) => height + shift) };
}

/** Height at a value: linear between grid values, level beyond them; NaN at a level that is not on the grid. */
function heightAt(grid: Float64Array, heights: Float32Array, value: number, areLevels: boolean): number {
  const above = grid.findIndex((each) => each >= value);
  if (areLevels || grid[above] === value) return above !== -1 && grid[above] === value ? heights[above]! : Number.NaN;
  if (above === -1) return heights[heights.length - 1]!;
  if (above === 0) return heights[0]!;
  const [from, to] = [grid[above - 1]!, grid[above]!];
  const share = (value - from) / (to - from);
  return (1 - share) * heights[above - 1]! + share * heights[above]!;
}
