/** The slider: how much values far from the observed one count. */

import { html, setText, update } from "../../elements/element.ts";
import { explained } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import type { View } from "../../view/view.ts";
import { explanation, variantsOf } from "../../words/glossary.ts";
import { keptText, number, reachText } from "../../words/numbers.ts";
import { isUnordered } from "../../words/values.ts";

/** The same as in Python. */
const DEFAULT = 0.75;

export function decayPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const options = { signal: aborted };
  const { name } = explanation("decay");
  const label = html("span", { "data-test": "decay-label" }, name);
  const slider = html("input", {
    type: "range",
    class: "ice-slider",
    "data-test": "decay-slider",
    "aria-label": name,
    "aria-keyshortcuts": "Delete",
    step: "any",
  });
  const tick = html("i", { class: "ice-decay-tick", "aria-hidden": "true" });
  const value = html("output", { class: "ice-decay-value", "data-test": "decay-value" });
  const reach = html("span");
  const kept = explained(html("span", { "data-test": "decay-kept" }), explanation("support"));
  const also = html("span", {}, " · ", kept);
  const readout = html("p", { class: "ice-decay-readout", "data-test": "decay-readout" }, reach, also);

  listen(slider, aborted, { input: () => store.dragDecay(Number(slider.value)) });
  for (const end of ["change", "blur", "pointerup", "pointercancel"] as const) {
    slider.addEventListener(end, () => store.releaseDecay(), options);
  }
  const reset = (): void => {
    store.dragDecay(DEFAULT);
    store.releaseDecay();
  };
  listen(slider, aborted, {
    dblclick: reset,
    keydown: (event) => {
      if (event.key !== "Delete" && event.key !== "Backspace") return;
      event.preventDefault();
      reset();
    },
  });

  view.keep(
    () => {
      const figures = store.figures.value;
      const decay = store.decay.value;
      return { decay, figures, opened: store.opened, estimated: figures?.profile.estimated(decay) ?? false };
    },
    ({ decay, figures, opened, estimated }) => {
      const steps = figures?.header.decays ?? { first: 0.01, step: 0.01, count: 100 };
      const last = round(steps.first + steps.step * (steps.count - 1));
      update(slider, { min: steps.first, max: last, step: steps.step });
      slider.value = String(decay);
      slider.disabled = figures === null;
      const share = (at: number): string => String((at - steps.first) / (last - steps.first));
      slider.style.setProperty("--share", share(Number(slider.value)));
      tick.style.setProperty("--share", share(DEFAULT));
      setText(value, number(decay));
      const kind = opened?.kind ?? "numeric";
      const reaches = reachText(decay, isUnordered(kind));
      const keeps = keptText(decay, opened?.support ?? Number.NaN, estimated);
      explained(label, explanation("decay", ...variantsOf(kind, "stable")));
      setText(reach, reaches);
      setText(kept, keeps);
      also.hidden = keeps === "";
      slider.setAttribute("aria-valuetext", [number(decay), reaches, keeps].filter((part) => part !== "").join(", "));
    },
  );
  return html(
    "div",
    { class: "ice-decay", "data-test": "decay" },
    label,
    html(
      "span",
      { class: "ice-decay-scale" },
      html("span", { class: "ice-decay-end" }, "near only"),
      html("span", { class: "ice-decay-track" }, tick, slider),
      html("span", { class: "ice-decay-end" }, "all alike"),
    ),
    value,
    readout,
  );
}

const round = (value: number): number => Number(value.toFixed(9));
