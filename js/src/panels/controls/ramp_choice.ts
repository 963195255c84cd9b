/** The ramp of colours of numbers and ordered levels. */

import { html } from "../../elements/element.ts";
import { hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import type { Ramp } from "../../geometry/palette.ts";
import type { View } from "../../view/view.ts";

const LABELS: Record<Ramp, string> = {
  default: "default",
  viridis: "viridis",
  cividis: "cividis",
};

export function rampChoice({ store, aborted, keep }: View): HTMLElement {
  const select = html(
    "select",
    { class: "ice-select", "data-test": "ramp" },
    ...Object.entries(LABELS).map(([value, label]) => html("option", { value }, label)),
  );
  listen(select, aborted, { change: () => store.remembered.choose("palette", select.value as Ramp) });
  keep(
    () => store.remembered.of("palette").value,
    (ramp) => {
      select.value = ramp;
    },
  );
  const field = html("label", { class: "ice-field ice-view-ramp" }, "Ramp ", select);
  return hinted(field, "Colours of numbers and of ordered levels. The default is viridis without its faint ends.");
}
