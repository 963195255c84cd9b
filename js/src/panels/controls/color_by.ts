/** What colours the curves: a column by its values, below and above its median, or by its best split. */

import { html, update } from "../../elements/element.ts";
import { hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { isOfDrivers, splitsOf, type Together, togetherOf } from "../../store/drivers.ts";
import { unsplit } from "../../store/two_sides.ts";
import type { View } from "../../view/view.ts";
import type { DriverBody, ViewChoices } from "../../wire/protocol.ts";
import { percent } from "../../words/numbers.ts";

type Coloring = ViewChoices["coloring"];

/** Best columns that the list of colours begins with. */
const MOST_OFFERED = 8;

const driverText = ({ rule, share }: DriverBody): string => `${rule} · ${percent(share)}`;
const togetherText = ({ columns, share }: Together): string => `${columns.join(" and ")} together · ${percent(share)}`;

export function colorControl(view: View): HTMLElement {
  const field = html("label", { class: "ice-field ice-color-by" }, "Colour by ", columnSelect(view));
  return html("span", { class: "ice-colors" }, field, coloringControl(view));
}

/** What can be chosen, in the order of the list: nothing, what explains the differences, then all columns. */
interface Choice {
  column: string | null;
  coloring: Coloring | null;
}

function columnSelect({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "color-by" });
  const best = html("optgroup", { label: "Explains the differences", "data-test": "color-by-drivers" });
  const all = html("optgroup", { label: "All columns" });
  const nothing = html("option", { value: "" }, "nothing");
  let choices: Choice[] = [];
  listen(select, aborted, {
    change: () => {
      const { column, coloring } = choices[select.selectedIndex] ?? { column: null, coloring: null };
      const before = store.remembered.of("coloring").peek();
      if (coloring === "together") store.colorAs(store.colorBy.peek(), coloring);
      else store.colorAs(column, coloring ?? (isOfDrivers(before) ? "value" : before));
    },
  });
  let listed = "";
  keep(
    () => ({
      columns: store.figures.value?.header.columns ?? [],
      colorBy: store.colorBy.value,
      coloring: store.remembered.of("coloring").value,
      drivers: splitsOf(store.drivers.value),
      together: togetherOf(store.drivers.value),
    }),
    ({ columns, colorBy, coloring, drivers, together }) => {
      const names = columns.map(({ name }) => name);
      const offered = drivers.filter(({ column }) => names.includes(column)).slice(0, MOST_OFFERED);
      if (colorBy !== null && !names.includes(colorBy)) names.push(colorBy);
      const ofTwo = together === null ? [] : [togetherText(together)];
      const texts = [...offered.map(driverText), ...ofTwo];
      const key = JSON.stringify([names, texts]);
      if (key !== listed) {
        listed = key;
        best.replaceChildren(...texts.map((text) => html("option", { value: text }, text)));
        all.replaceChildren(...names.map((name) => html("option", { value: name }, name)));
        select.replaceChildren(nothing, ...(texts.length > 0 ? [best] : []), all);
        choices = [
          { column: null, coloring: null },
          ...offered.map(({ column }): Choice => ({ column, coloring: "driver" })),
          ...ofTwo.map((): Choice => ({ column: null, coloring: "together" })),
          ...names.map((column): Choice => ({ column, coloring: null })),
        ];
      }
      const isChosen = (choice: Choice) =>
        choice.coloring === coloring && (coloring === "together" || choice.column === colorBy);
      const asDriver = isOfDrivers(coloring) ? choices.findIndex(isChosen) : -1;
      const asColumn = choices.findIndex((choice) => choice.column === colorBy && choice.coloring === null);
      select.selectedIndex = asDriver === -1 ? asColumn : asDriver;
    },
  );
  return select;
}

const COLORINGS: { coloring: Coloring; label: string; hint: string }[] = [
  { coloring: "value", label: "Ramp", hint: "Colour along a ramp from low to high." },
  { coloring: "median", label: "Median", hint: "Blue below the median, red above it." },
];

/** How numbers colour; levels have but one way. */
function coloringControl({ store, aborted, keep }: View): HTMLElement {
  const buttons = COLORINGS.map(({ coloring, label, hint }) =>
    hinted(
      html(
        "button",
        {
          type: "button",
          role: "radio",
          class: "ice-segment",
          "data-test": `coloring-${coloring}`,
          "aria-label": label,
        },
        html("i", { class: `ice-coloring-${coloring}`, "aria-hidden": "true" }),
      ),
      hint,
      label,
    ),
  );
  const group = html(
    "span",
    { class: "ice-segments ice-coloring", role: "radiogroup", "aria-label": "Colouring of numbers" },
    ...buttons,
  );
  const choose = (place: number): void => store.colorAs(store.colorBy.peek(), COLORINGS[place]!.coloring);
  for (const [place, button] of buttons.entries()) {
    listen(button, aborted, { click: () => choose(place) });
  }
  listen(group, aborted, {
    keydown: (event) => {
      if (!/^Arrow(Left|Right|Up|Down)$/.test(event.key)) return;
      event.preventDefault();
      const next = 1 - buttons.indexOf(event.target as HTMLButtonElement);
      choose(next);
      buttons[next]!.focus({ preventScroll: true });
    },
  });
  keep(
    () => {
      const picture = store.picture.value;
      const colors = picture.state === "ready" ? picture.loaded.colors : null;
      return { scale: colors === null ? null : unsplit(colors.scale), coloring: store.remembered.of("coloring").value };
    },
    ({ scale, coloring }) => {
      group.hidden = scale?.kind !== "continuous";
      const stop = coloring === "median" ? 1 : 0;
      for (const [place, button] of buttons.entries()) {
        const checked = COLORINGS[place]!.coloring === coloring;
        update(button, { "aria-checked": String(checked), tabindex: place === stop ? 0 : -1 });
      }
    },
  );
  return group;
}
