/** The unit of the figures. */

import { html } from "../../elements/element.ts";
import { hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import type { View } from "../../view/view.ts";
import type { Unit } from "../../wire/protocol.ts";
import { UNIT_LABELS } from "../../words/metric_names.ts";

const UNITS = Object.keys(UNIT_LABELS) as Unit[];
const NOT_YET = "The standard deviation of the predictions is not computed yet.";
const FLAT = "All predictions are equal, so their standard deviation is 0.";

export function unitControl({ store, aborted, keep }: View): HTMLElement {
  const options = UNITS.map((unit) => html("option", { value: unit }, UNIT_LABELS[unit]));
  const select = html("select", { class: "ice-select", "data-test": "unit" }, ...options);
  const ofSd = options[UNITS.indexOf("sd")]!;
  listen(select, aborted, { change: () => store.setUnit(select.value as Unit) });
  keep(
    () => [store.reading.value?.unit ?? "prediction", store.figures.value?.header.prediction_sd ?? null] as const,
    ([unit, sd]) => {
      select.value = unit;
      ofSd.disabled = sd === null || sd === 0;
      hinted(select, sd === null ? NOT_YET : sd === 0 ? FLAT : "");
    },
  );
  return html("label", { class: "ice-field" }, "Unit ", select);
}
