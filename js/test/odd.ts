/** What is right, with a few things in it that are odd. */
import fc from "fast-check";

const odd = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(null, undefined, true, 0, -1, 1.5, 2 ** 60, Number.NaN, "", "age", [], {}),
  },
  { weight: 1, arbitrary: fc.anything() },
);

/** Places of all that is inside of a value. */
function placesIn(value: unknown, place: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const here = [...place, key];
    return [here, ...placesIn((value as Record<string, unknown>)[key], here)];
  });
}

/** The same with what is at some places replaced, or gone. */
export function changed<T>(whole: T, changes: readonly { at: number; value: unknown; isGone: boolean }[]): T {
  const copy = structuredClone(whole) as unknown;
  for (const { at, value, isGone } of changes) {
    const places = placesIn(copy);
    const place = places[Math.floor(at * places.length)];
    if (place === undefined) break;
    const parent = place.slice(0, -1).reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], copy);
    if (isGone) delete (parent as Record<string, unknown>)[place.at(-1)!];
    else (parent as Record<string, unknown>)[place.at(-1)!] = value;
  }
  return copy as T;
}

export const changes = fc.array(
  fc.record({ at: fc.double({ min: 0, max: 0.999999, noNaN: true }), value: odd, isGone: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);
