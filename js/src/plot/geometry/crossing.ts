/** Which lines pass through a range of heights at one place, and the mean lines of groups. */

/** Fractional index of a place among points that never decrease; null outside of them. */
export function pointAt(x: ArrayLike<number>, at: number): number | null {
  const last = x.length - 1;
  if (last < 0 || at < x[0]! || at > x[last]!) return null;
  for (let k = 0; k < last; k++) {
    if (at > x[k + 1]!) continue;
    const run = x[k + 1]! - x[k]!;
    return run > 0 ? k + (at - x[k]!) / run : k;
  }
  return last;
}

/** Height of a line at a fractional index, straight between its points. */
export function heightAt(values: Float32Array, nPoints: number, line: number, point: number): number {
  const k = Math.floor(point);
  const left = values[line * nPoints + k]!;
  return point === k ? left : left + (values[line * nPoints + k + 1]! - left) * (point - k);
}

/** Indices of the lines between two heights at a fractional index; a line without a height there is none of them. */
export function linesBetween(
  values: Float32Array,
  nPoints: number,
  point: number,
  low: number,
  high: number,
): number[] {
  const found: number[] = [];
  for (let line = 0; line * nPoints < values.length; line++) {
    const height = heightAt(values, nPoints, line, point);
    if (height >= low && height <= high) found.push(line);
  }
  return found;
}

/** The mean of a group's lines at each point, and how many lines it is of. */
export interface GroupMean {
  values: Float32Array;
  n: number;
}

/** Means by group, in one pass over the lines; lines of no group (NaN) count nowhere. */
export function groupMeans(values: Float32Array, nPoints: number, groups: Float32Array, nGroups: number): GroupMean[] {
  const sums = Array.from({ length: nGroups }, () => new Float64Array(nPoints));
  const counts = new Uint32Array(nGroups);
  for (let line = 0; line < groups.length; line++) {
    const sum = sums[groups[line]!];
    if (sum === undefined) continue;
    counts[groups[line]!]!++;
    const row = line * nPoints;
    for (let point = 0; point < nPoints; point++) sum[point]! += values[row + point]!;
  }
  return sums.map((sum, group) => ({
    values: Float32Array.from(sum, (each) => each / counts[group]!),
    n: counts[group]!,
  }));
}
