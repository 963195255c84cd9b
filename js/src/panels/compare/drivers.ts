/**
 * On demand, the splits that explain the differences between curves: a click colours by the split, or by all rules of two
 * columns together; another one restores the colours. A button beside each opens the heat map of both features.
 */

import { isOfDrivers, splitsOf } from "../../state/drivers.ts";
import type { Progress } from "../../state/feed.ts";
import { explanation } from "../../text/glossary.ts";
import { percent, plural } from "../../text/numbers.ts";
import { html, setText, update } from "../../ui/element.ts";
import { explained, hinted, unexplained } from "../../ui/explained.ts";
import { icon } from "../../ui/icons.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import type { DriverBody, DriversBody, ViewChoices } from "../../wire/protocol.ts";

const MOST_CHIPS = 3;

export function driversLine(view: View): HTMLElement {
  const { store, keep } = view;
  const lead = html("p", { class: "ice-drivers-lead", "data-test": "drivers-lead" });
  const chips = html("div", { class: "ice-splits" });
  const together = pushButton({ class: "ice-split", "aria-pressed": "false", "data-test": "drivers-together" });
  const summary = html("summary", { "data-test": "drivers-summary" }, "Why do curves differ?");
  const line = html("details", { class: "ice-drivers", "data-test": "drivers" }, summary, lead, chips);
  colorByChips(view, line);
  keep(
    () => [store.drivers.value, store.figures.value?.header.columns ?? []] as const,
    ([progress, columns]) => {
      const { body } = progress;
      const kinds = new Map(columns.map(({ name, kind }) => [name, kind]));
      line.dataset.state = stateOf(progress);
      if (progress.state === "error") line.open = true;
      setText(lead, leadOf(progress));
      if (body !== null) explained(lead, explanation("curves_differ"));
      else unexplained(lead);
      const feature = body?.feature ?? "";
      const rows = splitsOf(body)
        .slice(0, MOST_CHIPS)
        .map((driver) => {
          const { column } = driver;
          const chip = chipOf(driver, kinds.has(column));
          // What has no axis has no heat map.
          const both = ["other", undefined].includes(kinds.get(column)) ? [] : [bothOf(feature, column)];
          return html("div", { class: "ice-split-row" }, chip, ...both);
        });
      chips.replaceChildren(...rows, together);
      describeTogether(together, body);
    },
  );
  // Only the state changes, so the chip that was pressed keeps the focus.
  keep(
    () => [store.remembered.of("coloring").value, store.colorBy.value, store.drivers.value] as const,
    ([coloring, by]) => {
      for (const chip of chips.querySelectorAll<HTMLElement>("[data-column]")) {
        update(chip, { "aria-pressed": String(coloring === "driver" && chip.dataset.column === by) });
      }
      update(together, { "aria-pressed": String(coloring === "together") });
    },
  );
  return line;
}

/** A click on a chip colours by its split; a click on the chip that is on restores the colours before. */
function colorByChips({ store, aborted }: View, line: HTMLElement): void {
  let before: { column: string | null; coloring: ViewChoices["coloring"] } | null = null;
  const press = ({ column }: DOMStringMap): void => {
    const coloring = store.remembered.of("coloring").peek();
    const current = store.colorBy.peek();
    const isOn = column === undefined ? coloring === "together" : coloring === "driver" && current === column;
    if (isOn) {
      store.colorAs(before?.column ?? null, before?.coloring ?? "value");
      before = null;
      return;
    }
    // Between chips, the colours to restore stay the same.
    if (!isOfDrivers(coloring)) before = { column: current, coloring };
    if (column === undefined) store.colorAs(current, "together");
    else store.colorAs(column, "driver");
  };
  listen(line, aborted, {
    click: ({ target }) => {
      const chip = (target as Element).closest<HTMLElement>(".ice-split");
      if (chip !== null) press(chip.dataset);
      const { first, second } = (target as Element).closest<HTMLElement>(".ice-both")?.dataset ?? {};
      if (first !== undefined && second !== undefined) store.openPair(first, second);
    },
  });
}

function stateOf({ state, body }: Progress<DriversBody>): string {
  if (body === null) return state === "error" ? "error" : "unknown";
  return body.drivers.length + body.combined.columns.length === 0 ? "nothing" : "ready";
}

const leadOf = (progress: Progress<DriversBody>): string =>
  progress.state === "error" ? progress.message : (progress.body?.lead ?? "");

/** A rule, its share, and what a click does. */
const chipParts = (rule: string, share: string): (Node | string)[] => [
  html("span", { class: "ice-split-rule" }, rule),
  " ",
  html("span", {}, share, html("span", { class: "ice-hidden" }, " of the variance between curves")),
  " ",
  html("span", { class: "ice-split-act" }, "colour"),
];

function chipOf(driver: DriverBody, canColour: boolean): HTMLElement {
  const share = percent(driver.share);
  const attributes = {
    class: "ice-split",
    "aria-pressed": "false",
    "data-test": "driver",
    "data-column": driver.column,
  };
  const chip = pushButton(attributes, ...chipParts(driver.rule, share));
  const rows = `${plural(driver.n_rule, "row")}, all others: ${plural(driver.n_rest, "row")}.`;
  explained(chip, { name: `${driver.rule}: ${share}`, text: `${rows}\n${explanation("split").text}` });
  chip.disabled = !canColour;
  return chip;
}

/** Opens the heat map of the feature and a column. */
function bothOf(first: string, second: string): HTMLElement {
  const text = `See ${first} and ${second} together`;
  const names = { "data-first": first, "data-second": second };
  const button = pushButton({ class: "ice-both", "aria-label": text, "data-test": "see-both", ...names }, icon("both"));
  return hinted(button, `${text}: a heat map of the partial dependence on both.`);
}

function describeTogether(node: HTMLElement, body: DriversBody | null): void {
  node.hidden = body === null || body.combined.columns.length === 0;
  if (body === null || node.hidden) return;
  const { columns, share } = body.combined;
  node.replaceChildren(...chipParts(`${columns.join(" and ")} together`, percent(share)));
  explained(node, { name: explanation("together").name, text: rulesText(body) });
}

function rulesText({ combined, n_rows, n_curves }: DriversBody): string {
  const { columns, share, rules } = combined;
  const sample = n_rows < n_curves ? [`Found on ${plural(n_rows, "row")} of ${plural(n_curves, "row")}.`] : [];
  return [
    `${columns.join(" and ")} together explain ${percent(share)} of the variance between curves:`,
    ...rules.map(({ rule, n_rows }) => `${rule} (${plural(n_rows, "row")})`),
    ...sample,
    explanation("together").text,
  ].join("\n");
}
