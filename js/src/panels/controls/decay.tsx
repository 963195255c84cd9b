/** The slider of the weight of values far from the observed one. */

import { unitOf } from "../../text/dates.ts";
import { explanation, variantsOf } from "../../text/glossary.ts";
import { capital, unitIn } from "../../text/names.ts";
import { halfWeight, keptText, number, reachText } from "../../text/numbers.ts";
import { isUnordered } from "../../text/values.ts";
import { Term } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import { type Distance, DOCUMENT_DEFAULTS, type FeatureKind } from "../../wire/protocol.ts";

/** While none are known. */
const NO_DECAYS = { first: 0.01, step: 0.01, count: 100 };
/** Distances between dates of at least two of these are in them; how many days they have. */
const LONG_UNITS = [["years", 365.2425] as const, ["months", 30.437] as const];

export function Decay() {
  const { store } = useView();
  const [decay, distance, figures, { opened }] = [store.decay.value, store.distance.value, store.figures.value, store];
  const { first, step, count } = figures?.header.decays ?? NO_DECAYS;
  const last = round(first + step * (count - 1));
  const share = (value: number): string => String((value - first) / (last - first));
  const kind = opened?.kind ?? "numeric";
  const isOfAll = store.remembered.of("right").value === "all";
  const scale = isOfAll ? null : (figures?.header.features[opened?.index ?? -1]?.scale ?? null);
  const reach = reachText(decay, distance, isUnordered(kind));
  const kept = keptText(decay, opened?.support ?? Number.NaN, figures?.profile.estimated(decay) ?? false);
  const all = [reach, kept].filter((part) => part !== "");
  const release = (): void => store.release();
  const reset = (): void => {
    store.drag("decay", DOCUMENT_DEFAULTS.decay);
    release();
  };
  return (
    <div class="ice-decay" data-test="decay">
      <span class="ice-decay-name">
        <Term of={explanation("decay", ...variantsOf(kind, "step"))} data-test="decay-label" />{" "}
        <output class="ice-decay-value" data-test="decay-value">
          {number(decay)}
        </output>
      </span>
      <span class="ice-decay-track">
        <i class="ice-decay-tick" aria-hidden="true" style={{ "--share": share(DOCUMENT_DEFAULTS.decay) }} />
        <input
          type="range"
          class="ice-slider"
          {...{ min: first, max: last, step, value: decay }}
          disabled={figures === null}
          style={{ "--share": share(decay) }}
          aria-label={explanation("decay").name}
          aria-keyshortcuts="Delete"
          aria-valuetext={[number(decay), ...all].join(", ")}
          data-test="decay-slider"
          onInput={({ currentTarget }) => store.drag("decay", Number(currentTarget.value))}
          onChange={release}
          onBlur={release}
          onPointerUp={release}
          onPointerCancel={release}
          onDblClick={reset}
          onKeyDown={(event) => {
            if (event.key !== "Delete" && event.key !== "Backspace") return;
            event.preventDefault();
            reset();
          }}
        />
      </span>
      <Term
        of={{ name: capital(all.join(" · ")), text: kept === "" ? "" : explanation("support").text }}
        class="ice-decay-readout"
        data-test="decay-readout"
      >
        {awayText(store.feature.value, kind, decay, distance, scale)}
      </Term>
      <span class="ice-decay-end">near each row’s observed value</span>
      <span class="ice-decay-end">all values alike</span>
    </div>
  );
}

/**
 * Which values count half, in the unit of the feature where distances are multiples of one number. `scale` is one SD of the
 * open feature; null where it is unknown, or all features are on screen.
 */
function awayText(name: string, kind: FeatureKind, decay: number, distance: Distance, scale: number | null): string {
  const half = halfWeight(decay);
  // There is one other value, one unit away.
  if (kind === "boolean" && distance === "marginal" && scale !== null && scale > 0 && decay < 1)
    return `the other value counts ${number(Number((decay ** (1 / scale)).toPrecision(2)))}`;
  if (scale === 0) return "constant: one value";
  const inUnits = distance === "marginal" && scale !== null && !isUnordered(kind) && kind !== "boolean";
  if (!inUnits || !Number.isFinite(half))
    return reachText(decay, distance, isUnordered(kind)).replace(/^a value (.*) from the observed one/, "$1 away");
  const reach = half * scale;
  const isTime = kind === "datetime" || kind === "timedelta";
  const { perDay, name: short } = isTime
    ? unitOf([reach])
    : { perDay: 1, name: kind === "ordered" ? "levels" : unitIn(name) };
  const long = LONG_UNITS.find(([, days]) => kind === "datetime" && reach >= 2 * days);
  const [unit, length] = long ?? [short, 1 / perDay];
  const size = number(Number((reach / length).toPrecision(3)));
  return `${`${size}\u00a0${unit}`.trim()} away counts half`;
}

const round = (value: number): number => Number(value.toFixed(9));
