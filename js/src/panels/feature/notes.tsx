/** What is said above and over the plot: what is not drawn as chosen, what leaves the axis, what is still computed. */

import type { ValueRange } from "../../plot/value_range.ts";
import { count, number, plural } from "../../text/numbers.ts";
import { noSlopes } from "../../text/values.ts";
import { useView } from "../../view/use_view.tsx";
import type { View } from "../../view/view.ts";
import type { Shown } from "./shown.ts";

interface Props {
  shown: Shown;
}

export function Notes({ shown }: Props) {
  const { store } = useView();
  const layout = shown.drawing.layout.value;
  const isOtherKind = layout !== null && layout.scene.kind !== store.kind.value;
  const isCut = layout?.range.isCut ?? false;
  return (
    <>
      <p class="ice-kind-remark" data-test="kind-remark" role="status" hidden={!isOtherKind}>
        {layout !== null && noSlopes(layout.scene.curves.feature)}
      </p>
      <p class="ice-range-remark" data-test="range-remark" role="status" hidden={!isCut}>
        {layout !== null && isCut && leavingText(layout.range, layout.scene.extent, layout.scene.curves.n_lines)}
      </p>
      <EffectsNote shown={shown} />
    </>
  );
}

/** Number of curves that extend beyond each end of the axis, and their largest values. */
export function leavingText({ above, below }: ValueRange, [low, high]: [number, number], nLines: number): string {
  const sides = [
    { n: above, side: "above", end: `up to ${number(high, 0, 4)}` },
    { n: below, side: "below", end: `down to ${number(low, 0, 4)}` },
  ].filter(({ n }) => n > 0);
  const parts = sides.map(({ n, side, end }, at) =>
    at === 0
      ? `${count(n)} of ${plural(nLines, "curve")} ${n === 1 ? "extends" : "extend"} ${side} the axis (${end})`
      : `${count(n)} ${side} (${end})`,
  );
  return `${parts.join(", ")}.`;
}

/** What ALE waits for. */
function EffectsNote({ shown: { loaded, wantsAle } }: Props) {
  const effects = useView().store.effects.value;
  const isWaiting = wantsAle.value && effects.state !== "ready";
  const wait = `Computing ALE of ${loaded.value?.curves.feature ?? ""} …`;
  return (
    <p class="ice-range-remark" role="status" data-test="effects-note" hidden={!isWaiting}>
      {isWaiting && (effects.state === "error" ? effects.message : wait)}
    </p>
  );
}

/** The message that is shown over the plot while its curves are missing. */
export function Cover() {
  const { store } = useView();
  const { state } = store.picture.value;
  return (
    <div class="ice-message" hidden={state === "ready"}>
      <p class="ice-message-text" data-test="curves-message" aria-live="polite">
        {coverText(store)}
      </p>
      <button
        type="button"
        class="ice-button"
        data-test="retry"
        hidden={state !== "error"}
        onClick={() => store.retry()}
      >
        Try again
      </button>
    </div>
  );
}

function coverText({
  picture: { value: picture },
  feature: { value: feature },
  status,
  client,
}: View["store"]): string {
  switch (picture.state) {
    case "empty":
      if (status.value.state === "computing")
        return "The first curves appear here in a moment. Choose a feature to see it sooner.";
      return `${status.value.state === "error" ? "Something went wrong, see below. " : ""}Choose a feature to see its curves.`;
    case "loading":
      return client.silent.value
        ? `Still waiting for the curves of ${feature}: the kernel is busy or not connected.`
        : `Computing the curves of ${feature} …`;
    case "error":
      return picture.message;
    case "ready":
      return "";
  }
}
