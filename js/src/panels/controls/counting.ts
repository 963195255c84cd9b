/** How impact is counted: three choices, each with a sentence. */

import { explanation } from "../../text/glossary.ts";
import { CONVENTION_LABELS } from "../../text/metric_names.ts";
import { html } from "../../ui/element.ts";
import { listen } from "../../ui/lifetime.ts";
import type { View } from "../../view/view.ts";
import type { Convention } from "../../wire/protocol.ts";

const CONVENTIONS = Object.keys(CONVENTION_LABELS) as Convention[];

export function countingControl({ store, aborted, keep }: View): HTMLElement {
  const group = `ice-convention-${Math.random().toString(36).slice(2)}`;
  const radios = CONVENTIONS.map((convention) => {
    const radio = html("input", {
      type: "radio",
      class: "ice-radio",
      name: group,
      value: convention,
      "aria-describedby": `${group}-${convention}`,
      "data-test": `convention-${convention}`,
    });
    listen(radio, aborted, { change: () => store.set("convention", convention) });
    return radio;
  });
  const choices = radios.map((radio, at) => {
    const convention = CONVENTIONS[at]!;
    return html(
      "div",
      { class: "ice-convention" },
      html("label", { class: "ice-convention-label" }, radio, CONVENTION_LABELS[convention]),
      html("p", { class: "ice-meaning", id: `${group}-${convention}` }, explanation(convention).text),
    );
  });
  keep(
    () => store.convention.value,
    (convention) => {
      for (const radio of radios) radio.checked = radio.value === convention;
    },
  );
  return html(
    "div",
    { role: "radiogroup", "aria-label": "How impact is counted", "data-test": "counting" },
    ...choices,
  );
}
