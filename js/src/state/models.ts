/** Several models: which are drawn, in which colours, and how far their predictions differ. */
import type { ColorsBody, CurvesBody } from "../wire/protocol.ts";
import type { Reading } from "./reading.ts";

/** The name of the models where columns have theirs. */
export const MODEL = "Model";

/** The curves of one of several models. */
export interface OfModel {
  /** Its place in the header. */
  model: number;
  curves: CurvesBody;
}

/** The colours of the lines of all models, those of the first of `drawn` first. */
export function modelColors(models: readonly string[], drawn: readonly number[], curves: CurvesBody): ColorsBody {
  const { n_lines: nLines, n_observations: nObservations } = curves;
  const counts = models.map(() => nObservations);
  return {
    scale: { column: MODEL, kind: "category", ordered: false, levels: [...models], values: null, counts },
    values: Float64Array.from({ length: drawn.length * nLines }, (_, line) => drawn[Math.floor(line / nLines)]!),
  };
}

/** Places of the two models that disagree most on a feature; null while that is not known, and with one model. */
export function mostApart(reading: Reading, index: number): [number, number] | null {
  const { models } = reading.figures.header;
  if (models.length < 2 || !Number.isFinite(reading.get(index, "disagreement"))) return null;
  if (models.length === 2) return [0, 1];
  let most: [number, number] = [0, 1];
  for (let a = 0; a < models.length; a++) {
    for (let b = a + 1; b < models.length; b++) {
      const of = ([one, other]: [number, number]) => reading.get(index, `disagreement_${one}_${other}`);
      if (of([a, b]) > of(most)) most = [a, b];
    }
  }
  return most;
}
