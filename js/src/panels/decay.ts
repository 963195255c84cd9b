/** The slider: how much phantoms far from an observation's own value count. */
import { decayReadout, number } from "../format.ts";
import { html, setText, update } from "../marks/element.ts";
import { isUnordered } from "../values.ts";
import type { View } from "../view.ts";

const SUPPORT =
  "Weight kept: mean weight of the phantom observations of this feature. A phantom observation is an observation with one feature value replaced.";

export function decayPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const slider = html("input", {
    type: "range",
    class: "ice-slider",
    "data-test": "decay-slider",
    "aria-label": "Decay",
    step: "any",
  });
  const value = html("output", { class: "ice-decay-value", "data-test": "decay-value" });
  const readout = html("span", { class: "ice-decay-readout", title: SUPPORT, "data-test": "decay-readout" });

  slider.addEventListener("input", () => store.dragDecay(Number(slider.value)), { signal: aborted });
  for (const end of ["change", "blur", "pointerup", "pointercancel"] as const) {
    slider.addEventListener(end, () => store.releaseDecay(), { signal: aborted });
  }

  view.keep(
    () => {
      const figures = store.figures.value;
      const decay = store.decay.value;
      return { decay, figures, opened: store.opened, estimated: figures?.profile.estimated(decay) ?? false };
    },
    ({ decay, figures, opened, estimated }) => {
      const steps = figures?.header.decays ?? { first: 0.01, step: 0.01, count: 100 };
      update(slider, { min: steps.first, max: round(steps.first + steps.step * (steps.count - 1)), step: steps.step });
      slider.value = String(decay);
      slider.disabled = figures === null;
      const share = (Number(slider.value) - Number(slider.min)) / (Number(slider.max) - Number(slider.min));
      slider.style.setProperty("--share", String(share));
      setText(value, number(decay));
      const unordered = isUnordered(opened?.kind ?? "numeric");
      const text = decayReadout(decay, opened?.support ?? Number.NaN, estimated, unordered);
      setText(readout, text);
      slider.setAttribute("aria-valuetext", `${number(decay)}, ${text}`);
    },
  );
  return html(
    "div",
    { class: "ice-decay", "data-test": "decay" },
    html("label", { class: "ice-field ice-decay-field" }, "Decay ", slider),
    value,
    readout,
  );
}

const round = (value: number): number => Number(value.toFixed(9));
