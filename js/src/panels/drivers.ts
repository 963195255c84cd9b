/** What the lines of the open feature differ by, as chips: a click parts them by colour, another takes it back. */

import { type Drivers, telling } from "../drivers.ts";
import { percent, plural } from "../format.ts";
import { html, setText, update } from "../marks/element.ts";
import { partedText } from "../marks/name.ts";
import type { DriverBody, DriversBody, ViewChoices } from "../protocol.ts";
import type { View } from "../view.ts";

const MOST_CHIPS = 3;
/** Of shorter names nothing is cut. */
const SHORT_NAME = 8;
/** Several columns together are worth a word where they explain so much more than the best one. */
const WORTH_MORE = 0.02;

const LEAD = "The lines differ by";
const NOTHING = "Nothing explains the spread.";
const MEANING =
  "Share of the spread that goes when the lines are parted so. Lines count by how they run, not by how high they lie.";

export function driversLine(view: View): HTMLElement {
  const { store, aborted, keep } = view;
  const lead = html("span", { class: "ice-drivers-lead", "data-test": "drivers-lead" });
  const chips = html("span", { class: "ice-chips" });
  const together = html("span", { class: "ice-drivers-together", "data-test": "drivers-together" });
  const line = html(
    "div",
    { class: "ice-drivers", role: "group", "aria-label": "What the lines differ by", "data-test": "drivers" },
    lead,
    chips,
    together,
  );
  let before: { column: string | null; coloring: ViewChoices["coloring"] } | null = null;
  const isOn = (column: string): boolean =>
    store.remembered.of("coloring").value === "driver" && store.colorBy.value === column;

  const press = (column: string): void => {
    const coloring = store.remembered.of("coloring").peek();
    if (isOn(column)) {
      store.colorAs(before?.column ?? null, before?.coloring ?? "value");
      before = null;
      return;
    }
    // From one chip to the next there is still but one way back.
    if (coloring !== "driver") before = { column: store.colorBy.peek(), coloring };
    store.colorAs(column, "driver");
  };
  chips.addEventListener(
    "click",
    (event) => {
      const chip = (event.target as Element).closest<HTMLElement>("[data-column]");
      if (chip !== null) press(chip.dataset.column!);
    },
    { signal: aborted },
  );

  keep(
    () => ({ drivers: store.drivers.value, columns: store.figures.value?.header.columns }),
    ({ drivers, columns = [] }) => {
      const names = new Set(columns.map(({ name }) => name));
      const shown = telling(drivers).slice(0, MOST_CHIPS);
      line.dataset.state = stateOf(drivers, shown);
      setText(lead, leadOf(drivers, shown));
      const partings = store.partings.peek();
      chips.replaceChildren(
        ...shown.map((driver) => chipOf(driver, names.has(driver.column), partings.get(driver.column))),
      );
      describeTogether(together, drivers, shown);
    },
  );
  // Only the state changes, so the chip that was pressed keeps the focus.
  keep(
    () => ({ drivers: store.drivers.value, coloring: store.remembered.of("coloring").value, by: store.colorBy.value }),
    ({ coloring, by }) => {
      for (const chip of chips.querySelectorAll<HTMLElement>("[data-column]")) {
        update(chip, { "aria-pressed": String(coloring === "driver" && chip.dataset.column === by) });
      }
    },
  );
  return line;
}

function stateOf(drivers: Drivers | null, shown: readonly DriverBody[]): string {
  if (drivers === null) return "unknown";
  if ("problem" in drivers) return "error";
  return shown.length === 0 ? "nothing" : "ready";
}

function leadOf(drivers: Drivers | null, shown: readonly DriverBody[]): string {
  if (drivers === null) return "";
  if ("problem" in drivers) return drivers.problem;
  return shown.length === 0 ? NOTHING : LEAD;
}

function chipOf(driver: DriverBody, canColour: boolean, parted: number | undefined): HTMLElement {
  const share = percent(driver.share);
  // What the rule says of a column is seen however long the name is.
  const name = driver.column.length;
  const at = parted ?? (name > SHORT_NAME && driver.rule.startsWith(driver.column) ? name : undefined);
  const chip = html(
    "button",
    {
      type: "button",
      class: "ice-chip",
      "aria-pressed": "false",
      title: `${driver.rule}\n${share} of the spread. ${MEANING}`,
      "data-test": "driver",
      "data-column": driver.column,
    },
    html("span", { class: "ice-chip-rule ice-parted" }, ...partedText(driver.rule, at)),
    " ",
    html("span", { class: "ice-chip-share" }, share, html("span", { class: "ice-hidden" }, " of the spread")),
  );
  chip.style.setProperty("--share", String(driver.share));
  chip.disabled = !canColour;
  return chip;
}

function describeTogether(node: HTMLElement, drivers: Drivers | null, shown: readonly DriverBody[]): void {
  const body = drivers === null || "problem" in drivers ? null : drivers.body;
  const isMore = body !== null && shown.length > 0 && body.combined.share > shown[0]!.share + WORTH_MORE;
  node.hidden = !isMore;
  if (!isMore) return;
  setText(node, `together ${percent(body.combined.share)}`);
  const text = rulesText(body);
  node.title = text;
  update(node, { "aria-label": text, role: "note" });
}

function rulesText({ combined, n_rows, n_curves }: DriversBody): string {
  const rules = combined.leaves.map(({ rule, part }) => `${rule} (${percent(part)} of the rows)`);
  const sample = n_rows < n_curves ? [`Found on ${plural(n_rows, "row")} of ${plural(n_curves, "row")}.`] : [];
  return [
    `${percent(combined.share)} of the spread between these ${plural(rules.length, "group")}:`,
    ...rules,
    ...sample,
  ].join("\n");
}
