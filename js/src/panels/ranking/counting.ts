/** How impact is counted: what is chosen stands over the bars, the choices behind a fold. */
import { html, setText } from "../../marks/element.ts";
import { CONVENTION_LABELS, CONVENTION_MEANINGS } from "../../metrics.ts";
import type { Convention } from "../../protocol.ts";
import type { View } from "../../view.ts";

const CONVENTIONS = Object.keys(CONVENTION_LABELS) as Convention[];

export function countingControl({ store, aborted, keep }: View): HTMLElement {
  const group = `ice-convention-${Math.random().toString(36).slice(2)}`;
  const chosen = html("b", { class: "ice-counted", "data-test": "counted" });
  const radios = CONVENTIONS.map((convention) => {
    const radio = html("input", {
      type: "radio",
      class: "ice-radio",
      name: group,
      value: convention,
      "aria-describedby": `${group}-${convention}`,
      "data-test": `convention-${convention}`,
    });
    radio.addEventListener("change", () => store.setConvention(convention), { signal: aborted });
    return radio;
  });
  const choices = radios.map((radio, at) => {
    const convention = CONVENTIONS[at]!;
    return html(
      "div",
      { class: "ice-convention" },
      html("label", { class: "ice-convention-label" }, radio, CONVENTION_LABELS[convention]),
      html("p", { class: "ice-meaning", id: `${group}-${convention}` }, CONVENTION_MEANINGS[convention]),
    );
  });
  keep(
    () => store.convention.value,
    (convention) => {
      setText(chosen, CONVENTION_LABELS[convention]);
      for (const radio of radios) radio.checked = radio.value === convention;
    },
  );
  return html(
    "details",
    { class: "ice-counting", "data-test": "counting" },
    html("summary", {}, "How impact is counted: ", chosen),
    html("div", { role: "radiogroup", "aria-label": "How impact is counted" }, ...choices),
  );
}
