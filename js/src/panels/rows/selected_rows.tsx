/** The selected rows: how many, their expression in Python, what they have in common, and a sortable table. */
import { useLayoutEffect, useState } from "preact/hooks";
import { copyText } from "../../files/clipboard.ts";
import { explanation } from "../../text/glossary.ts";
import { alignedTexts, count, percent, plural } from "../../text/numbers.ts";
import { Button, hint, Term } from "../../ui/components.tsx";
import { useReply } from "../../view/reply.ts";
import { useView } from "../../view/use_view.tsx";
import type { InCommonBody, RowsBody } from "../../wire/protocol.ts";

/** Rows of the table; `x.selected` has all of them in Python. */
const MOST_ROWS = 20;
/** What fewer rows have in common may be chance. */
const FEWEST_IN_COMMON = 5;
/** Delay after a selection before its details are requested. */
const PATIENCE_MS = 150;
const IN_PYTHON = "x.selected";
const COPY = "Copy";
const COPIED_MS = 1500;

export function SelectedRows() {
  const { store } = useView();
  const n = store.selection.value.length;
  const { hasKernel } = store.client;
  return (
    <div class="ice-selection" hidden={n === 0}>
      <div class="ice-selection-head">
        <span>
          <b data-test="selected-count-text">{`${rowsText(n, store.brushed.value)}${hasKernel ? ": " : " selected"}`}</b>
          {hasKernel && <InPython />}
        </span>
        <Button data-test="clear-selection" onClick={() => store.clearSelection()}>
          Clear
        </Button>
      </div>
      <InCommon />
      <SelectedTable />
    </div>
  );
}

/** A brush chooses from the drawn rows alone. */
const rowsText = (n: number, drawn: Uint32Array | null): string =>
  drawn === null ? plural(n, "row") : `${count(n)} of ${plural(drawn.length, "drawn row")}`;

/** The expression of the selection, and a button that copies it. */
function InPython() {
  const [label, setLabel] = useState(COPY);
  useLayoutEffect(() => {
    if (label === COPY) return;
    const timer = setTimeout(() => setLabel(COPY), COPIED_MS);
    return () => clearTimeout(timer);
  }, [label]);
  return (
    <>
      <Term of={explanation("selected_rows")}>
        <code data-test="selected-code">{IN_PYTHON}</code>
      </Term>
      <Button
        class="ice-button ice-copy"
        aria-live="polite"
        data-test="copy-selected"
        onClick={async () => setLabel((await copyText(IN_PYTHON)) ? "Copied" : "Not allowed here")}
      >
        {label}
      </Button>
    </>
  );
}

/** What the rows have in common, as chips: a click colours by the feature. */
function InCommon() {
  const { store } = useView();
  const [rows, isBrushing] = [store.selection.value, store.brushing.value];
  const isRequested = store.client.hasKernel && !isBrushing && rows.length >= FEWEST_IN_COMMON;
  // The table or the curves show the reason of an error.
  const { body } = useReply(isRequested ? () => store.inCommon(rows) : null, [rows, isRequested], PATIENCE_MS);
  const items = (isRequested && body?.items) || [];
  return (
    <div
      class="ice-common"
      role="group"
      aria-label="What the selected rows have in common"
      hidden={items.length === 0}
      data-test="in-common"
    >
      <Term of={explanation("in_common")} class="ice-common-lead">
        In common
      </Term>
      <span class="ice-chips">
        {items.map((item) => (
          <Chip key={item.text} {...item} />
        ))}
      </span>
    </div>
  );
}

function Chip({ column, text, inside, outside }: InCommonBody["items"][number]) {
  const { store } = useView();
  const isOn = store.colorBy.value === column;
  const about = `${percent(inside)} of the selected rows, ${percent(outside)} of the other rows. Click to colour the curves by ${column}.`;
  return (
    <Button
      class="ice-chip ice-explained"
      style={{ "--share": inside }}
      aria-pressed={isOn}
      data-test="common"
      data-column={column}
      {...hint(about, text)}
      onClick={() => store.colorAs(isOn ? null : column, "value")}
    >
      <span class="ice-chip-rule">{text}</span>{" "}
      <span class="ice-chip-share">
        {percent(inside)} of these, {percent(outside)} of other rows
      </span>
    </Button>
  );
}

interface Order {
  column: number;
  descending: boolean;
}

function SelectedTable() {
  const { store } = useView();
  const [isOpen, setOpen] = useState(false);
  const [order, setOrder] = useState<Order | null>(null);
  const rows = store.selection.value;
  const { column = null, descending = false } = order ?? {};
  const { body, problem } = useReply(
    isOpen && rows.length > 0 ? () => store.rows(rows, { sort_by: column, descending, most: MOST_ROWS }) : null,
    [isOpen, rows, store.feature.value, store.explained.value, order],
  );
  const name = plural(rows.length, "selected row");
  return (
    <details
      class="ice-selected-rows"
      data-test="selected-rows"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary data-test="selected-summary">
        {rows.length > MOST_ROWS ? `Table: ${count(MOST_ROWS)} of ${name}` : `Table of ${name}`}
      </summary>
      <div
        class="ice-rows"
        tabIndex={0}
        role="region"
        aria-label="Selected rows"
        onPointerOver={({ target }) => {
          const { row } = (target as Element).closest<HTMLElement>("[data-row]")?.dataset ?? {};
          store.pointed.value = row === undefined ? null : Number(row);
        }}
        onPointerLeave={() => {
          store.pointed.value = null;
        }}
      >
        {problem !== null && (
          <p class="ice-problem" role="alert">
            {problem}
          </p>
        )}
        {body !== null && <Table body={body} order={order} sort={(place) => setOrder(nextOrder(order, place))} />}
      </div>
    </details>
  );
}

/** A click sorts from the smallest, another from the largest, a third restores the order of the data. */
function nextOrder(order: Order | null, column: number): Order | null {
  if (order?.column !== column) return { column, descending: false };
  return order.descending ? null : { column, descending: true };
}

/** Prediction and observed target come first, then the open feature. */
function Table({ body, order, sort }: { body: RowsBody; order: Order | null; sort: (column: number) => void }) {
  const { columns, n_outcomes, positions, rows } = body;
  const opened = columns.indexOf(useView().store.feature.value, n_outcomes);
  const rank = (place: number) => (place < n_outcomes ? 0 : place === opened ? 1 : 2);
  const places = [...columns.keys()].sort((a, b) => rank(a) - rank(b) || a - b);
  const texts = columns.map((_, place) => alignedTexts(rows.map((row) => row[place] ?? "")));
  const direction = order?.descending ? "descending" : "ascending";
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">row</th>
          {places.map((place) => {
            const [name, isSorted] = [columns[place] ?? "", order?.column === place];
            return (
              <th key={place} scope="col" aria-sort={isSorted ? direction : undefined}>
                <Button
                  class="ice-sort"
                  data-test={`sort-${name}`}
                  {...hint(`Sort by ${name}.`)}
                  onClick={() => sort(place)}
                >
                  {name}
                  {isSorted && <span aria-hidden="true">{direction === "descending" ? " ↓" : " ↑"}</span>}
                </Button>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {positions.map((position, line) => (
          <tr key={position} data-row={position}>
            <th scope="row">{position}</th>
            {places.map((place) => (
              <td key={place}>{texts[place]![line]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
