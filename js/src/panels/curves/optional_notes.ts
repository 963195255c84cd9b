/** What the optional content of the curves says, or what it waits for. */
import { html, setText } from "../../elements/element.ts";
import { explained, unexplained } from "../../elements/explained.ts";
import type { Progress } from "../../store/feed.ts";
import type { View } from "../../view/view.ts";
import { explanation } from "../../words/glossary.ts";
import type { Shown } from "./state/plot_state.ts";

/** A problem, or that an answer is on its way; "" where it is there, or not wanted. */
function waitText(progress: Progress<object>, isWanted: boolean, wait: string): string {
  if (!isWanted || progress.state === "ready") return "";
  return progress.state === "error" ? progress.message : wait;
}

export function optionalNotes(view: View, shown: Shown): HTMLElement {
  const { store, keep } = view;
  const effects = html("span", { "data-test": "effects-note" });
  const unlike = html("span", { "data-test": "unlike-note" });
  const notes = html("p", { class: "ice-range-remark ice-optional-notes", role: "status" }, effects, unlike);
  keep(
    () =>
      [
        shown.loaded.value?.curves.feature ?? "",
        shown.wantedEffects.value.length > 0,
        store.effects.value,
        (shown.plot.value?.unlike ?? 0) > 0,
        store.unlike.value,
      ] as const,
    ([feature, wantsEffects, knownEffects, wantsUnlike, knownUnlike]) => {
      const fitting = `Fitting models that predict ${feature} from the other features, to find values unlike the data …`;
      setText(effects, waitText(knownEffects, wantsEffects, `Computing ALE and M-plot of ${feature} …`));
      const summary = (wantsUnlike && knownUnlike.body?.summary) || "";
      setText(unlike, summary || waitText(knownUnlike, wantsUnlike, fitting));
      if (summary === "") unexplained(unlike);
      else explained(unlike, explanation("unlike"));
      for (const note of [effects, unlike]) note.hidden = note.textContent === "";
      notes.hidden = effects.hidden && unlike.hidden;
    },
  );
  return notes;
}
