/** The content of a row's card: outcomes, and features by how far they can move the prediction. */
import { useLayoutEffect, useState } from "preact/hooks";
import { largestChange, type WhatIf } from "../../state/what_if.ts";
import { explanation } from "../../text/glossary.ts";
import { cellText, columnFormat, count, withSign } from "../../text/numbers.ts";
import { Button, hint, Term } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { RowsBody } from "../../wire/protocol.ts";

/** Features that a card shows at first, and features and columns that it shows at most. */
const FIRST_ITEMS = 5;
const MOST_ITEMS = 30;
const OUT_OF_REACH = "No value within reach, where values count at least half, changes the prediction.";

/** Title and progress of the list. */
export function Lead({ whatIf: { moves, total, problem } }: { whatIf: WhatIf }) {
  if (!useView().store.client.hasKernel) return "The largest change by one feature is computed in the notebook only.";
  return (
    <>
      <Term of={explanation("what_if")}>Largest change by one feature</Term>
      {problem !== null
        ? `: ${problem}`
        : moves.size < total && ` (${count(moves.size)} of ${count(total)} features computed …)`}
    </>
  );
}

/** The prediction and, where y was given, y and the residual. */
export const Outcomes = ({ body: { columns, n_outcomes, rows } }: { body: RowsBody }) => {
  const cells = rows[0]?.slice(0, n_outcomes) ?? [];
  const write = columnFormat(Math.max(...cells.map((cell) => Math.abs(Number(cell))))); // the line has one format
  return columns.slice(0, n_outcomes).map((name, place) => {
    const text = cells[place] ?? "";
    const [target = "", level] = place === 0 ? [name] : name.split(" = ", 2); // whether the class was observed
    const isResidual = name === "residual";
    const value = Number(text);
    const written = isResidual ? withSign(value, write(value)) : write(value);
    const told = level === undefined ? written : `${value === 0 ? "not " : ""}${level}`;
    return (
      <span key={name} class="ice-row-card-outcome">
        {isResidual ? <Term of={explanation("residual")}>{name}</Term> : <span>{target}</span>}{" "}
        <b>{text === "" ? "–" : told}</b>
      </span>
    );
  });
};

interface Item {
  feature: string;
  observed: string;
  /** The value within reach with the largest change; null while it is not known, or where none changes the prediction. */
  best: { value: string; place: number; change: number } | null;
  /** Whether that value is known to be unlike the data. */
  isUnlike: boolean;
  isKnown: boolean;
  /** Whether values further away change the prediction. */
  changesFarAway: boolean;
}

/** Features by their largest change of the prediction, those not computed yet last; then all other columns. */
export function Values({ body: { columns, n_outcomes, rows }, whatIf }: { body: RowsBody; whatIf: WhatIf | null }) {
  const { store } = useView();
  const [isWhole, setWhole] = useState(false);
  const cells = new Map(columns.slice(n_outcomes).map((name, place) => [name, rows[0]?.[n_outcomes + place] ?? ""]));
  const [decay, opened] = [store.decay.value, store.feature.value];
  const items = store.ranking.value.map(({ name, kind }): Item => {
    const moves = whatIf?.moves.get(name);
    const best = moves === undefined ? null : largestChange(moves, decay);
    const cell = cells.get(name) ?? "";
    return {
      feature: name,
      observed: moves?.observed ?? (kind === "boolean" ? cell.toLowerCase() : cell), // as on the axis
      best,
      isUnlike: best !== null && store.curves.isUnlike(name, whatIf!.row, best.place),
      isKnown: moves !== undefined,
      changesFarAway: best === null && (moves?.moves.length ?? 0) > 0,
    };
  });
  items.sort((a, b) => Number(b.isKnown) - Number(a.isKnown) || sizeOf(b) - sizeOf(a));
  const largest = Math.max(0, ...items.map(sizeOf));
  for (const { feature } of items) cells.delete(feature);
  const shown = items.slice(0, isWhole ? MOST_ITEMS : FIRST_ITEMS);
  const rated = whatIf?.moves.size === whatIf?.total ? shown.filter(({ best }) => best !== null) : [];
  useLayoutEffect(() => {
    store.curves.card.value = whatIf && { row: whatIf.row, features: rated.map(({ feature }) => feature) };
  }, [whatIf?.row, rated.map(({ feature }) => feature).join("\n")]);
  useLayoutEffect(() => () => (store.curves.card.value = null), []);
  const nHidden = Math.max(0, items.length - FIRST_ITEMS) + cells.size;
  return (
    <>
      {shown.map((item) => (
        <FeatureMove key={item.feature} {...item} isOpen={item.feature === opened} largest={largest} />
      ))}
      {isWhole && items.length > MOST_ITEMS && (
        <p class="ice-row-card-cut">{`${count(MOST_ITEMS)} of ${count(items.length)} features`}</p>
      )}
      {isWhole &&
        [...cells].slice(0, MOST_ITEMS).map(([name, text]) => (
          <div key={name} class="ice-row-card-line">
            <span>{name}</span>
            <b>{cellText(text) || "missing"}</b>
          </div>
        ))}
      {nHidden > 0 && (
        <Button aria-expanded={isWhole} data-test="row-card-more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Only the largest changes" : `${count(nHidden)} more`}
        </Button>
      )}
      {shown.some(({ isUnlike }) => isUnlike) && (
        <span class="ice-problem ice-row-card-note" aria-hidden="true">
          * unlike the data
        </span>
      )}
    </>
  );
}

const sizeOf = ({ best }: Item): number => Math.abs(best?.change ?? 0);

function FeatureMove({ isOpen, largest, ...item }: Item & { isOpen: boolean; largest: number }) {
  const { feature, observed, best, isUnlike, isKnown, changesFarAway } = item;
  const { store } = useView();
  const text = observed === "" ? "missing" : cellText(observed);
  const to = best === null ? "" : cellText(best.value);
  const open = (): void => {
    store.crosshair.value = best === null ? null : { feature, value: best.place, stays: true };
    store.open(feature);
    store.remembered.choose("right", "feature");
  };
  return (
    <Button
      class="ice-row-card-item"
      style={{ "--share": best === null || largest === 0 ? 0 : Math.abs(best.change) / largest }}
      aria-current={isOpen ? "true" : undefined}
      data-test="row-card-item"
      data-feature={feature}
      data-place={best?.place}
      data-sign={best === null ? undefined : best.change < 0 ? "down" : "up"}
      {...hint(
        `${changesFarAway ? `${OUT_OF_REACH} ` : ""}Open ${feature}${best === null ? "" : ` at ${to}`}.`,
        `${feature}: ${text}${best === null ? "" : ` → ${to}`}`,
      )}
      onClick={open}
    >
      <span class="ice-row-card-name">{feature}</span>
      <span class="ice-row-card-step">
        <span>{text}</span>
        {best !== null && [" → ", isUnlike ? <Unlike value={to} /> : <span>{to}</span>]}
      </span>
      <b class="ice-row-card-change">
        {best === null ? isKnown && (changesFarAway ? "–" : "0") : changeText(best.change, largest)}
      </b>
    </Button>
  );
}

/** A value with the mark of a note, which needs no line of its own when it comes late. */
const Unlike = ({ value }: { value: string }) => (
  <span class="ice-problem">
    {value}*<span class="ice-hidden"> unlike the data</span>
  </span>
);

/** Changes as aligned text with signs. */
function changeText(change: number, largest: number): string {
  const text = columnFormat(largest)(Math.abs(change));
  if (Number(text) === 0) return "≈ 0";
  return `${change < 0 ? "−" : "+"}${text}`;
}
