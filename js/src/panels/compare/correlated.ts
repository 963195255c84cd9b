/** The features that move with the open one, as links that open them. */

import { explanation } from "../../text/glossary.ts";
import { fixedFormat } from "../../text/numbers.ts";
import { html } from "../../ui/element.ts";
import { explained, hinted } from "../../ui/explained.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import type { CorrelatedBody } from "../../wire/protocol.ts";

const MEASURES: Record<CorrelatedBody["items"][number]["measure"], string> = {
  spearman: "Spearman rank correlation",
  correlation_ratio: "correlation ratio η",
  cramers_v: "Cramér’s V",
};

const write = fixedFormat(2);

/** Weaker correlations do not make curves leave the data. */
const LEAST = 0.9;
const MOST = 2;

export function correlatedLine(view: View): HTMLElement {
  const { store, aborted, keep } = view;
  const lead = explained(html("span", { "data-test": "correlated-lead" }, "Moves with"), explanation("correlated"));
  const names = html("span", {});
  const attributes = { class: "ice-correlated", role: "group", "aria-label": "Correlated features" };
  const line = html("span", { ...attributes, "data-test": "correlated" }, lead, " ", names);
  listen(line, aborted, {
    click: (event) => {
      const name = (event.target as Element).closest<HTMLElement>("[data-column]")?.dataset.column;
      if (name !== undefined) store.open(name);
    },
  });
  keep(
    () => [store.correlated.value.body?.items ?? [], store.figures.value?.header.features ?? []] as const,
    ([items, features]) => {
      const strong = items.filter(({ correlation }) => Math.abs(correlation) >= LEAST).slice(0, MOST);
      const known = new Set(features.map(({ name }) => name));
      line.hidden = strong.length === 0;
      names.replaceChildren(...strong.map((item) => linkOf(item, known.has(item.column))));
    },
  );
  return line;
}

function linkOf({ column, correlation, measure }: CorrelatedBody["items"][number], canOpen: boolean): HTMLElement {
  const attributes = { class: "ice-link", "data-test": "correlated-feature", "data-column": column };
  const link = pushButton(attributes, `${column} (${write(correlation)})`);
  const text = `${explanation("correlated").text}${canOpen ? " Click to open it." : ""}`;
  hinted(link, text, `${column}: ${MEASURES[measure]} ${write(correlation)}`);
  link.disabled = !canOpen;
  return link;
}
