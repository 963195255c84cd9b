/** The card of a row: its outcomes, and which change of one feature moves its prediction most. */
import { rowTitle } from "../../plot/curve_tooltip.ts";
import type { Pins } from "../../state/pins.ts";
import { count, unlikeText } from "../../text/numbers.ts";
import { Button, hint, Icon } from "../../ui/components.tsx";
import { useReply } from "../../view/reply.ts";
import { useView } from "../../view/use_view.tsx";
import { Lead, Outcomes, Values } from "./row_values.tsx";

export function RowCard({ pins }: { pins: Pins }) {
  const { store } = useView();
  const [row, rows] = [pins.opened.value, pins.rows.value];
  // What failed while nothing was computed may be there after a change of the status.
  const inputs = [row, store.explained.value, store.status.value.state];
  const { body, problem } = useReply(row === null ? null : () => store.rows([row]), inputs);
  const curves = store.loaded.value?.curves;
  const line = row === null ? -1 : (curves?.positions.indexOf(row) ?? -1);
  const title = line === -1 ? `Row ${row}` : rowTitle(curves!, line);
  const unlike =
    row === null ? "" : unlikeText(store.unlikeShareOf(row), `its phantom observations of ${curves?.feature ?? ""}`);
  const whatIf = store.whatIf.value?.row === row ? store.whatIf.value : null;
  const button = (name: "before" | "after" | "close", label: string, act: () => void) => (
    <Button
      class="ice-row-card-button"
      aria-label={label}
      data-test={`row-card-${name}`}
      {...hint(label)}
      onClick={act}
    >
      <Icon name={name} />
    </Button>
  );
  return (
    <aside
      class="ice-row-card"
      hidden={row === null}
      data-test="row-card"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        pins.close();
      }}
    >
      <header class="ice-row-card-head">
        <h4 class="ice-row-card-title" title={title} data-test="row-card-title">
          {title}
        </h4>
        <span class="ice-row-card-turning" hidden={rows.length < 2}>
          {button("before", "Previous pinned row", () => pins.turn(-1))}
          <span class="ice-row-card-place" data-test="row-card-place">
            {count(rows.indexOf(row!) + 1)} of {count(rows.length)}
          </span>
          {button("after", "Next pinned row", () => pins.turn(1))}
        </span>
        {button("close", "Close (Escape)", () => pins.close())}
      </header>
      <div class="ice-row-card-facts" data-test="row-card-outcomes">
        {body !== null && <Outcomes body={body} />}
      </div>
      <p class="ice-row-card-lead" role="status" hidden={whatIf === null} data-test="row-card-lead">
        {whatIf !== null && <Lead whatIf={whatIf} />}
      </p>
      <div
        class="ice-row-card-values"
        role="group"
        aria-label="Features and values of the row"
        data-test="row-card-values"
      >
        {problem !== null && (
          <p class="ice-problem" role="alert">
            {problem}
          </p>
        )}
        {body !== null && <Values body={body} whatIf={whatIf} />}
      </div>
      <p class="ice-row-card-lead" hidden={unlike === ""} data-test="row-card-unlike">
        {unlike}
      </p>
    </aside>
  );
}
