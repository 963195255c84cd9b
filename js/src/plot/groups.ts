/** Means of groups of curves: of the levels of the colouring column, or of each model. */
import type { ColorsBody } from "../wire/protocol.ts";
import { type GroupMean, groupMeans } from "./geometry/crossing.ts";
import { colorValues } from "./layout.ts";
import { linesPerModel } from "./models.ts";
import type { Scene } from "./scene.ts";

export interface Groups {
  means: GroupMean[];
  /** Their means with the value missing, next to the axis. */
  missing: GroupMean[] | null;
}

/** In the order of the colours; null where lines are of one model and have no levels. */
export function meansByGroup(scene: Scene, colors: ColorsBody | null): Groups | null {
  const { curves, models, missing } = scene;
  if (models !== null) {
    const n = linesPerModel(scene);
    const inOrder = [...models].sort((a, b) => a.model - b.model);
    return {
      means: inOrder.map(({ mean }) => ({ values: mean, n })),
      missing: missing && inOrder.map((each) => ({ values: Float32Array.of(each.missing!), n })),
    };
  }
  if (colors?.scale.kind !== "category" || colors.values.length !== curves.n_lines) return null;
  const levels = colorValues(colors, curves.n_lines);
  const n = colors.scale.levels.length;
  return {
    means: groupMeans(scene.values, scene.x.length, levels, n),
    missing: missing && groupMeans(missing.values, 1, levels, n),
  };
}
