/** The features that move with the open one, as links that open them. */

import { explanation } from "../../text/glossary.ts";
import { fixedFormat } from "../../text/numbers.ts";
import { explainedBy, hint } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
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

export function Correlated() {
  const { store } = useView();
  const items = store.correlated.value.body?.items ?? [];
  const strong = items.filter(({ correlation }) => Math.abs(correlation) >= LEAST).slice(0, MOST);
  const known = new Set(store.figures.value?.header.features.map(({ name }) => name));
  const meaning = explanation("correlated");
  return (
    <span
      class="ice-correlated"
      role="group"
      aria-label="Correlated features"
      data-test="correlated"
      hidden={strong.length === 0}
    >
      <span {...explainedBy(meaning)} data-test="correlated-lead">
        Moves with
      </span>{" "}
      <span>
        {strong.map(({ column, correlation, measure }) => {
          const canOpen = known.has(column);
          const text = `${meaning.text}${canOpen ? " Click to open it." : ""}`;
          return (
            <button
              key={column}
              type="button"
              class="ice-link"
              data-test="correlated-feature"
              data-column={column}
              disabled={!canOpen}
              {...hint(text, `${column}: ${MEASURES[measure]} ${write(correlation)}`)}
              onClick={() => store.open(column)}
            >
              {`${column} (${write(correlation)})`}
            </button>
          );
        })}
      </span>
    </span>
  );
}
