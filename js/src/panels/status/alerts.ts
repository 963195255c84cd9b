/** Warnings above the figures, for example that a feature may be the target itself. */
import { html } from "../../elements/element.ts";
import type { View } from "../../view/view.ts";

export function alertsPanel({ store, keep }: View): HTMLElement {
  const panel = html("div", { class: "ice-alerts", role: "status", "data-test": "alerts" });
  let drawn = "";
  keep(
    () => store.figures.value?.header.alerts ?? [],
    (alerts) => {
      panel.hidden = alerts.length === 0;
      const key = JSON.stringify(alerts);
      if (key !== drawn) panel.replaceChildren(...alerts.map((text) => html("p", { class: "ice-alert" }, text)));
      drawn = key;
    },
  );
  return panel;
}
