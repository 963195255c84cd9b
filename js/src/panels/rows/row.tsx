/** One row in depth: how to select it, and its card. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Pins } from "../../state/pins.ts";
import { explanation } from "../../text/glossary.ts";
import { count } from "../../text/numbers.ts";
import { Button, hint, Term } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import type { Extreme } from "../../wire/protocol.ts";
import { RowCard } from "./card.tsx";

export const RowPanel = ({ pins }: { pins: Pins }) => (
  <section class="ice-row" aria-label="Selected row" data-test="row">
    <RowPicker pins={pins} />
    <RowCard pins={pins} />
  </section>
);

const ENDS: readonly Extreme[] = ["highest", "lowest"];

/** "Row: highest / lowest / number …". */
function RowPicker({ pins }: { pins: Pins }) {
  const { store } = useView();
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const row = store.whatIfRow.value;
  const last = (store.figures.value?.header.n_observations ?? 1) - 1;
  useLayoutEffect(() => {
    if (!field.current!.matches(":focus")) field.current!.value = row === null ? "" : String(row);
  }, [row]);
  const choose = (chosen: number): void => {
    setProblem("");
    store.selectOnly(chosen);
    pins.open(chosen);
  };
  /** Selects the row with the highest or the lowest prediction. */
  const chooseExtreme = async (end: Extreme): Promise<void> => {
    try {
      choose(await store.extremeRow(end));
    } catch (error) {
      if (!(error instanceof Cancelled)) setProblem(sentenceOf(error));
    }
  };
  const chooseNumber = (): void => {
    const { value = "", valueAsNumber: typed = 0 } = field.current ?? {}; // the field may leave the page with what is typed
    if (value === "") return;
    if (Number.isInteger(typed) && typed >= 0 && typed <= last) choose(typed);
    else setProblem(`Enter a row number from 0 to ${count(last)}.`);
  };
  return (
    <div class="ice-row-picker">
      <Term of={explanation("selected_row")} class="ice-row-label">
        Row
      </Term>
      <span class="ice-segments" role="group" aria-label="Row by its prediction">
        {ENDS.map((end) => (
          <Button
            key={end}
            class="ice-segment"
            data-test={`row-${end}`}
            {...hint(`Select the row with the ${end} prediction.`)}
            onClick={() => void chooseExtreme(end)}
          >
            {end}
          </Button>
        ))}
      </span>
      <input
        ref={field}
        type="number"
        class="ice-number ice-row-number"
        {...{ min: 0, max: last, step: 1 }}
        placeholder="number"
        aria-label="Number of the row"
        data-test="row-number"
        onChange={chooseNumber}
        // JupyterLab prevents the line break of Enter, and with it the event "change".
        onKeyDown={({ key }) => key === "Enter" && chooseNumber()}
      />
      <Button
        class="ice-link"
        hidden={row === null || pins.opened.value !== null}
        data-test="row-show"
        onClick={() => pins.open(row!)}
      >
        Show row {row}
      </Button>
      <p class="ice-problem ice-row-problem" role="alert" hidden={problem === ""}>
        {problem}
      </p>
    </div>
  );
}
