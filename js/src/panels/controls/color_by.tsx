/** The colours of the curves: several models, a column by its values, or a rule that explains why curves differ. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { MODEL } from "../../state/models.ts";
import { splitsOf } from "../../state/two_sides.ts";
import { percent } from "../../text/numbers.ts";
import { Setting } from "../../ui/setting.tsx";
import { useView } from "../../view/use_view.tsx";

/** Best columns that the list of colours begins with. */
const MOST_OFFERED = 8;

interface Choice {
  /** Of the option; several may have the same one. */
  value: string;
  text?: string;
  isChosen: boolean;
  choose: () => void;
}

export function ColorBy() {
  const { store } = useView();
  const menu = useRef<HTMLSelectElement>(null);
  const [colorBy, coloring] = [store.colorBy.value, store.remembered.of("coloring").value];
  const hasModels = store.models.value.length > 1;
  const columns = (store.figures.value?.header.columns ?? []).map(({ name }) => name);
  const best = splitsOf(store.drivers.value.body)
    .filter(({ column }) => columns.includes(column))
    .slice(0, MOST_OFFERED);
  if (colorBy !== null && !columns.includes(colorBy)) columns.push(colorBy);

  const colorByValues = (column: string | null): void =>
    store.colorAs(column, coloring === "driver" ? "value" : coloring);
  const models: Choice = {
    value: "models",
    text: MODEL,
    isChosen: store.showsModels.value,
    choose: () => store.showModels(true),
  };
  const none: Choice = {
    value: "",
    text: "nothing",
    isChosen: colorBy === null,
    choose: () => (hasModels ? store.showModels(false) : colorByValues(null)),
  };
  const plain = hasModels ? [models, none] : [none];
  const rules = best.map(({ column, rule, share }): Choice => {
    const isChosen = coloring === "driver" && column === colorBy;
    return { value: `${rule} · ${percent(share)}`, isChosen, choose: () => store.colorAs(column, "driver") };
  });
  const values = columns.map(
    (column): Choice => ({ value: column, isChosen: column === colorBy, choose: () => colorByValues(column) }),
  );
  const choices = [...plain, ...rules, ...values];
  // A rule has precedence over its column.
  const chosen = [models, ...rules, ...choices].find(({ isChosen }) => isChosen);
  useLayoutEffect(() => {
    menu.current!.selectedIndex = chosen === undefined ? -1 : choices.indexOf(chosen);
  });
  const optionsOf = (offered: readonly Choice[]) =>
    offered.map(({ value, text = value }) => (
      <option key={value} value={value}>
        {text}
      </option>
    ));
  return (
    <Setting
      name="color-by"
      label="Colour by"
      text="A column, or a rule that explains why curves differ."
      control={(attributes) => (
        <select
          ref={menu}
          class="ice-select"
          onChange={({ currentTarget }) => choices[currentTarget.selectedIndex]?.choose()}
          {...attributes}
        >
          {optionsOf(plain)}
          {rules.length > 0 && (
            <optgroup label="Explains the differences" data-test="color-by-drivers">
              {optionsOf(rules)}
            </optgroup>
          )}
          <optgroup label="All columns">{optionsOf(values)}</optgroup>
        </select>
      )}
    />
  );
}
