/** Single lines and bands drawn as vectors above the raster: the mean, the row under the pointer, selected rows. */
type Place = (point: number) => number;

/** Stretches of points at which every one of the places is known. */
function stretches(nPoints: number, ...places: Place[]): number[][] {
  const found: number[][] = [[]];
  for (let point = 0; point < nPoints; point++) {
    if (places.every((place) => Number.isFinite(place(point)))) found[found.length - 1]!.push(point);
    else found.push([]);
  }
  return found.filter(({ length }) => length > 0);
}

const at = (x: ArrayLike<number>, y: Place) => (point: number) =>
  `${Number(x[point]!.toFixed(2))},${Number(y(point).toFixed(2))}`;

export function linePath(x: ArrayLike<number>, y: Place): string {
  return stretches(x.length, y)
    .map((points) => `M${points.map(at(x, y)).join("L")}`)
    .join("");
}

export function bandPath(x: ArrayLike<number>, low: Place, high: Place): string {
  return stretches(x.length, low, high)
    .map((points) => `M${[...points.map(at(x, high)), ...points.reverse().map(at(x, low))].join("L")}Z`)
    .join("");
}

/** A line with a rim in the colour of the paper, legible on any picture. */
export const Haloed = ({ d }: { d: string }) => (
  <>
    <path class="ice-halo" d={d} />
    <path class="ice-stroke" d={d} />
  </>
);

/** The share of curves above which their mean is dotted. */
const MOST = 0.5;

/**
 * A line with a rim that is dotted where most curves are unlike the data, by their share at each point; null is nowhere.
 */
export function Fading({ x, y, shares }: { x: ArrayLike<number>; y: Place; shares: ArrayLike<number> | null }) {
  if (shares?.length !== x.length) return <Haloed d={linePath(x, y)} />;
  const isUnlike = (point: number): boolean => shares[point]! > MOST;
  // Both lines meet at the ends of a stretch.
  const last = x.length - 1;
  const solid = (point: number) => (isUnlike(point) && isUnlike(Math.min(last, point + 1)) ? Number.NaN : y(point));
  const dotted = (point: number) => (isUnlike(point) || isUnlike(point + 1) ? y(point) : Number.NaN);
  return (
    <>
      <Haloed d={linePath(x, solid)} />
      <path class="ice-stroke ice-dotted" d={linePath(x, dotted)} />
    </>
  );
}
