/** The colours of the curves: a column by its values, below and above its median, or by its best split. */

import { isOfDrivers, splitsOf, type Together, togetherOf } from "../../state/drivers.ts";
import { MODEL } from "../../state/models.ts";
import { percent } from "../../text/numbers.ts";
import { ifChanged } from "../../ui/changed.ts";
import { html } from "../../ui/element.ts";
import { Entry } from "../../ui/entry.ts";
import { listen } from "../../ui/lifetime.ts";
import type { View } from "../../view/view.ts";
import type { DriverBody, ViewChoices } from "../../wire/protocol.ts";

type Coloring = ViewChoices["coloring"];

/** Best columns that the list of colours begins with. */
const MOST_OFFERED = 8;

const driverText = ({ rule, share }: DriverBody): string => `${rule} · ${percent(share)}`;
const togetherText = ({ columns, share }: Together): string => `${columns.join(" and ")} together · ${percent(share)}`;

export const colorEntry = (view: View): HTMLElement =>
  new Entry(columnSelect(view), "Colour by", "A column, or a rule that explains why curves differ.").node;

/** An entry of the list: several models, nothing, then what explains the differences, then all columns. */
interface Choice {
  column: string | null;
  coloring: Coloring | null;
  ofModels?: boolean;
}

function columnSelect({ store, aborted, keep }: View): HTMLSelectElement {
  const select = html("select", { class: "ice-select", "data-test": "color-by" });
  let choices: Choice[] = [];
  listen(select, aborted, {
    change: () => {
      const { column, coloring, ofModels } = choices[select.selectedIndex] ?? { column: null, coloring: null };
      const before = store.remembered.of("coloring").peek();
      if (ofModels !== undefined) store.showModels(ofModels);
      else if (coloring === "together") store.colorAs(store.colorBy.peek(), coloring);
      else store.colorAs(column, coloring ?? (isOfDrivers(before) ? "value" : before));
    },
  });
  const offer = ifChanged(({ hasModels, drivers, columns }: Offered) => {
    const optionsOf = (texts: string[]) => texts.map((text) => html("option", { value: text }, text));
    const best = { label: "Explains the differences", "data-test": "color-by-drivers" };
    select.replaceChildren(
      ...(hasModels ? [html("option", { value: "models" }, MODEL)] : []),
      html("option", { value: "" }, "nothing"),
      ...(drivers.length > 0 ? [html("optgroup", best, ...optionsOf(drivers))] : []),
      html("optgroup", { label: "All columns" }, ...optionsOf(columns)),
    );
  });
  keep(
    () =>
      [
        store.figures.value?.header.columns ?? [],
        store.colorBy.value,
        store.remembered.of("coloring").value,
        splitsOf(store.drivers.value.body),
        togetherOf(store.drivers.value.body),
        store.models.value.length > 1,
        store.showsModels.value,
      ] as const,
    ([all, colorBy, coloring, drivers, together, hasModels, showsModels]) => {
      const columns = all.map(({ name }) => name);
      const best = drivers.filter(({ column }) => columns.includes(column)).slice(0, MOST_OFFERED);
      if (colorBy !== null && !columns.includes(colorBy)) columns.push(colorBy);
      const texts = [...best.map(driverText), ...(together === null ? [] : [togetherText(together)])];
      offer({ hasModels, drivers: texts, columns });
      choices = [
        ...(hasModels ? [{ column: null, coloring: null, ofModels: true }] : []),
        { column: null, coloring: null, ...(hasModels ? { ofModels: false } : {}) },
        ...best.map(({ column }): Choice => ({ column, coloring: "driver" })),
        ...(together === null ? [] : [{ column: null, coloring: "together" } as const]),
        ...columns.map((column) => ({ column, coloring: null })),
      ];
      select.selectedIndex = showsModels ? 0 : chosenOf(choices, colorBy, coloring);
    },
  );
  return select;
}

/** The texts of the list. */
interface Offered {
  hasModels: boolean;
  drivers: string[];
  columns: string[];
}

function chosenOf(choices: readonly Choice[], colorBy: string | null, coloring: Coloring): number {
  const isChosen = (choice: Choice) =>
    choice.coloring === coloring && (coloring === "together" || choice.column === colorBy);
  const driver = isOfDrivers(coloring) ? choices.findIndex(isChosen) : -1;
  const isPlain = ({ column, ofModels = false }: Choice) => column === colorBy && !ofModels;
  return driver !== -1 ? driver : choices.findIndex((choice) => isPlain(choice) && choice.coloring === null);
}
