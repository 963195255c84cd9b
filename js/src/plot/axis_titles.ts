/** What the axes of a plot are called. */
import { unitOf } from "../text/dates.ts";
import { placeWriterOf, stepOf } from "../text/values.ts";
import type { CurvesBody } from "../wire/protocol.ts";
import type { Scene } from "./scene.ts";

export function valueTitle(scene: Scene, output: string): string {
  const { feature, kind } = scene.curves;
  switch (scene.kind) {
    case "ice":
      return output;
    case "c-ice": {
      const from =
        scene.anchoredAt === null
          ? "the observed value"
          : `${feature} = ${placeWriterOf(scene.curves)(scene.anchoredAt)}`;
      return `change of the ${output} from ${from}`;
    }
    case "d-ice":
      return `slope of the ${output} per ${stepOf(kind, feature)}${scene.nBins === null ? "" : `, over ${scene.nBins} quantile bins`}`;
  }
}

/** The name of the feature, with its unit where the axis chose one. */
export function featureAxisTitle({ feature, kind, grid }: Pick<CurvesBody, "feature" | "kind" | "grid">): string {
  return kind === "timedelta" ? `${feature} (${unitOf(grid).name})` : feature;
}
