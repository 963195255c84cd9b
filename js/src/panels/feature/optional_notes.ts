/** What the optional content of the curves says, or what it waits for. */
import type { ReadonlySignal } from "@preact/signals-core";
import type { Progress } from "../../state/feed.ts";
import { html, setText } from "../../ui/element.ts";
import type { View } from "../../view/view.ts";
import type { Shown } from "./state/plot_state.ts";

/** A problem, or that an answer is on its way; "" where it is there, or not wanted. */
function waitText(progress: Progress<object>, isWanted: boolean, wait: string): string {
  if (!isWanted || progress.state === "ready") return "";
  return progress.state === "error" ? progress.message : wait;
}

/** What compared plots leave out, as notes name it. */
const LEFT_OUT = { target: "the observed target", ale: "ALE" };

/** What was switched on and is not shown while features are compared. */
function leftOutText({ remembered }: View["store"]): string {
  const names = (Object.keys(LEFT_OUT) as (keyof typeof LEFT_OUT)[]).filter((name) => remembered.of(name).value);
  const texts = names.map((name) => LEFT_OUT[name]);
  if (texts.length === 0) return "";
  const last = texts.pop()!;
  const all = texts.length === 0 ? last : `${texts.join(", ")} and ${last}`;
  return `Not shown while features are compared: ${all}.`;
}

export function optionalNotes(view: View, shown: Shown, isComparing: ReadonlySignal<boolean>): HTMLElement {
  const { store, keep } = view;
  const effects = html("span", { "data-test": "effects-note" });
  const hidden = html("span", { "data-test": "left-out-note" });
  const notes = html("p", { class: "ice-range-remark ice-optional-notes", role: "status" }, effects, hidden);
  keep(
    () => (isComparing.value ? leftOutText(store) : ""),
    (text) => {
      setText(hidden, text);
      hidden.hidden = text === "";
    },
  );
  keep(
    () =>
      [
        isComparing.value,
        shown.loaded.value?.curves.feature ?? "",
        shown.wantedEffects.value.length > 0,
        store.effects.value,
      ] as const,
    ([compares, feature, wantsEffects, knownEffects]) => {
      setText(effects, waitText(knownEffects, wantsEffects, `Computing ALE of ${feature} …`));
      effects.hidden = compares || effects.textContent === "";
      notes.hidden = effects.hidden && hidden.hidden;
    },
  );
  return notes;
}
