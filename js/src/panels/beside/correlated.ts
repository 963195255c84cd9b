/** The features that vary most with the open one, as chips that open them. */
import { html, setText } from "../../elements/element.ts";
import { explained, unexplained } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { pushButton } from "../../elements/push_button.ts";
import type { Progress } from "../../store/feed.ts";
import { loadedOf } from "../../store/store.ts";
import type { View } from "../../view/view.ts";
import type { CorrelatedBody } from "../../wire/protocol.ts";
import { explanation } from "../../words/glossary.ts";
import { fixedFormat } from "../../words/numbers.ts";

const MEASURES: Record<CorrelatedBody["items"][number]["measure"], string> = {
  spearman: "Spearman rank correlation",
  correlation_ratio: "correlation ratio η",
  cramers_v: "Cramér’s V",
};

const write = fixedFormat(2);

const leadOf = (progress: Progress<CorrelatedBody>): string =>
  progress.state === "error" ? progress.message : (progress.body?.lead ?? "Computing correlations …");

export function correlatedLine(view: View): HTMLElement {
  const { store, aborted, keep } = view;
  const lead = html("span", { class: "ice-drivers-lead", "data-test": "correlated-lead" });
  const chips = html("span", { class: "ice-correlated-chips" });
  const attributes = { class: "ice-correlated", role: "group", "aria-label": "Correlated features" };
  const line = html("div", { ...attributes, hidden: true, "data-test": "correlated" }, lead, chips);
  listen(line, aborted, {
    click: (event) => {
      const name = (event.target as Element).closest<HTMLElement>("[data-column]")?.dataset.column;
      if (name !== undefined) store.open(name);
    },
  });
  keep(
    () =>
      [
        store.remembered.of("correlated").value,
        store.correlated.value,
        loadedOf(store.picture.value)?.curves.feature ?? "",
        store.figures.value?.header.features ?? [],
      ] as const,
    ([isOn, progress, feature, features]) => {
      line.hidden = !isOn || feature === "";
      if (line.hidden) return;
      setText(lead, leadOf(progress));
      const listed = progress.body?.items ?? [];
      const names = new Set(features.map(({ name }) => name));
      chips.replaceChildren(...listed.map((item) => chipOf(item, names.has(item.column))));
      if (listed.length > 0) explained(lead, explanation("correlated"));
      else unexplained(lead);
    },
  );
  return line;
}

function chipOf({ column, correlation, measure }: CorrelatedBody["items"][number], canOpen: boolean): HTMLElement {
  const chip = pushButton(
    { class: "ice-chip ice-correlated-chip", "data-test": "correlated-feature", "data-column": column },
    html("span", { class: "ice-chip-rule" }, column),
    " ",
    html("span", { class: "ice-chip-share" }, write(correlation)),
  );
  const text = `${explanation("correlated").text}${canOpen ? " Click to open it." : ""}`;
  explained(chip, { name: `${column}: ${MEASURES[measure]} ${write(correlation)}`, text });
  chip.disabled = !canOpen;
  return chip;
}
