/** A measure of importance, roughly as a kernel computes it: how far predictions move with values of other rows. */
import type { ImportanceBody, Measure } from "../src/wire/protocol.ts";
import type { FakeData } from "./model.ts";

const MOST_ROWS = 60;
const STEPS: Record<Measure, number> = { native: 1, permutation: 7, partial_dependence: 11, shap: 13, loco: 17 };

export function importanceOf(data: FakeData, measure: Measure): ImportanceBody {
  const n = data.features[0]!.values.length;
  const rows = Array.from({ length: Math.min(n, MOST_ROWS) }, (_, row) => row);
  const features = data.features.map(({ name }, moved) => {
    const moves = rows.map((row) => {
      const from = (row + STEPS[measure]) % rows.length;
      const at = (place: number): number => (place === moved ? from : row);
      const [other, here] = [at, () => row].map((of) =>
        data.predict(
          data.features.map(({ values }, place) => values[of(place)]!),
          row,
        ),
      );
      return Math.abs(other! - here!);
    });
    return { feature: name, importance: moves.reduce((sum, move) => sum + move, 0) / rows.length };
  });
  return {
    measure,
    share_done: 1,
    problem: "",
    features,
    are_coefficients: false,
    n_rows: rows.length,
    n_observations: n,
    notes: [],
  };
}
