/** The slider of the weight of values far from the observed one. */

import type { RankedFeature } from "../../state/ranking.ts";
import { unitOf } from "../../text/dates.ts";
import { explanation, variantsOf } from "../../text/glossary.ts";
import { capital } from "../../text/names.ts";
import { halfWeight, keptText, number, reachText } from "../../text/numbers.ts";
import { hasLevels, isUnordered } from "../../text/values.ts";
import { html, setText, update } from "../../ui/element.ts";
import { explained } from "../../ui/explained.ts";
import { listen } from "../../ui/lifetime.ts";
import type { View } from "../../view/view.ts";
import { type Distance, DOCUMENT_DEFAULTS, type FeatureKind, type Header } from "../../wire/protocol.ts";

const DEFAULT = DOCUMENT_DEFAULTS.decay;
/** While none are known. */
const NO_DECAYS = { first: 0.01, step: 0.01, count: 100 };
const NAME = explanation("decay").name;
/** What is obvious next to the slider is left out. */
const SHORTER = [/^a value (.*) from the observed one/, "$1 away"] as const;

export function decayPanel(view: View): HTMLElement {
  return new DecayPanel(view).node;
}

class DecayPanel {
  readonly #label = html("span", { "data-test": "decay-label" }, NAME);
  readonly #slider = html("input", {
    type: "range",
    class: "ice-slider",
    "data-test": "decay-slider",
    "aria-label": NAME,
    "aria-keyshortcuts": "Delete",
    step: "any",
  });
  readonly #tick = html("i", { class: "ice-decay-tick", "aria-hidden": "true" });
  readonly #value = html("output", { class: "ice-decay-value", "data-test": "decay-value" });
  readonly #readout = html("span", { class: "ice-decay-readout", "data-test": "decay-readout" });
  readonly node = html(
    "div",
    { class: "ice-decay", "data-test": "decay" },
    html("span", { class: "ice-decay-name" }, this.#label, " ", this.#value),
    html("span", { class: "ice-decay-track" }, this.#tick, this.#slider),
    this.#readout,
    html("span", { class: "ice-decay-end" }, "near each row’s observed value"),
    html("span", { class: "ice-decay-end" }, "all values alike"),
  );

  constructor(view: View) {
    const { store, aborted, keep } = view;
    const release = (): void => store.releaseDecay();
    const reset = (): void => {
      store.dragDecay(DEFAULT);
      release();
    };
    listen(this.#slider, aborted, {
      input: () => store.dragDecay(Number(this.#slider.value)),
      change: release,
      blur: release,
      pointerup: release,
      pointercancel: release,
      dblclick: reset,
      keydown: (event) => {
        if (event.key !== "Delete" && event.key !== "Backspace") return;
        event.preventDefault();
        reset();
      },
    });
    keep(
      () =>
        [
          store.decay.value,
          store.distance.value,
          store.figures.value,
          store.opened,
          store.remembered.of("right").value === "all",
        ] as const,
      ([decay, distance, figures, opened, ofAll]) => {
        this.#drawSlider(decay, figures?.header.decays ?? NO_DECAYS);
        this.#slider.disabled = figures === null;
        const scale = ofAll ? null : (figures?.header.features[opened?.index ?? -1]?.scale ?? null);
        this.#drawWords({ decay, distance, opened, scale }, figures?.profile.estimated(decay) ?? false);
      },
    );
  }

  #drawSlider(decay: number, { first, step, count }: Header["decays"]): void {
    const last = round(first + step * (count - 1));
    update(this.#slider, { min: first, max: last, step });
    this.#slider.value = String(decay);
    const share = (at: number): string => String((at - first) / (last - first));
    this.#slider.style.setProperty("--share", share(Number(this.#slider.value)));
    this.#tick.style.setProperty("--share", share(DEFAULT));
  }

  #drawWords({ decay, distance, opened, scale }: Weighted, isEstimated: boolean): void {
    const kind = opened?.kind ?? "numeric";
    const reach = reachText(decay, distance, isUnordered(kind));
    const kept = keptText(decay, opened?.support ?? Number.NaN, isEstimated);
    const all = [reach, kept].filter((part) => part !== "");
    explained(this.#label, explanation("decay", ...variantsOf(kind, "step")));
    setText(this.#value, number(decay));
    setText(this.#readout, awayText(kind, decay, distance, scale));
    explained(this.#readout, { name: capital(all.join(" · ")), text: kept === "" ? "" : explanation("support").text });
    this.#slider.setAttribute("aria-valuetext", [number(decay), ...all].join(", "));
  }
}

/** What the words around the slider depend on. */
interface Weighted {
  decay: number;
  distance: Distance;
  opened: RankedFeature | null;
  /** One SD of the open feature; null where it is unknown, or all features are on screen. */
  scale: number | null;
}

/** Which values count half, in the unit of the feature where distances are multiples of one number. */
function awayText(kind: FeatureKind, decay: number, distance: Distance, scale: number | null): string {
  const half = halfWeight(decay);
  const inUnits = distance === "marginal" && scale !== null && !hasLevels(kind) && kind !== "boolean";
  if (!inUnits || !Number.isFinite(half)) return reachText(decay, distance, isUnordered(kind)).replace(...SHORTER);
  const isTime = kind === "datetime" || kind === "timedelta";
  const { perDay, short } = isTime ? unitOf([half * scale]) : { perDay: 1, short: "" };
  return `${number(Number((half * scale * perDay).toPrecision(3)))}${short && `\u00a0${short}`} away counts half`;
}

const round = (value: number): number => Number(value.toFixed(9));
