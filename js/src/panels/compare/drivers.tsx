/**
 * On demand, the splits that explain the differences between curves: a click colours by the split, or by all rules of two
 * columns together; another one restores the colours. A button beside each opens the heat map of both features.
 */
import { useEffect, useRef } from "preact/hooks";
import { isOfDrivers, splitsOf } from "../../state/drivers.ts";
import { type Explanation, explanation } from "../../text/glossary.ts";
import { percent, plural } from "../../text/numbers.ts";
import { explainedBy, hint, Icon } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { DriverBody, DriversBody, ViewChoices } from "../../wire/protocol.ts";

const MOST_CHIPS = 3;

export function Drivers() {
  const { store } = useView();
  const line = useRef<HTMLDetailsElement>(null);
  /** The colours before those of a chip. */
  const before = useRef<{ column: string | null; coloring: ViewChoices["coloring"] } | null>(null);
  const progress = store.drivers.value;
  const { body } = progress;
  const hasFailed = progress.state === "error";
  const kinds = new Map(store.figures.value?.header.columns.map(({ name, kind }) => [name, kind]));
  const coloring = store.remembered.of("coloring").value;
  const colored = store.colorBy.value;
  useEffect(() => {
    if (hasFailed) line.current!.open = true;
  }, [hasFailed]);
  /** Colours by a split, or by all rules together (null); restores the colours before where it does so already. */
  const press = (column: string | null) => (): void => {
    const [coloring, colored] = [store.remembered.of("coloring").peek(), store.colorBy.peek()];
    const isOn = column === null ? coloring === "together" : coloring === "driver" && colored === column;
    if (isOn) {
      store.colorAs(before.current?.column ?? null, before.current?.coloring ?? "value");
      before.current = null;
      return;
    }
    // Between chips, the colours to restore stay the same.
    if (!isOfDrivers(coloring)) before.current = { column: colored, coloring };
    if (column === null) store.colorAs(colored, "together");
    else store.colorAs(column, "driver");
  };
  const nothing = body !== null && body.drivers.length + body.combined.columns.length === 0;
  const state = body === null ? (hasFailed ? "error" : "unknown") : nothing ? "nothing" : "ready";
  const isTogether = coloring === "together";
  return (
    <details ref={line} class="ice-drivers" data-test="drivers" data-state={state}>
      <summary data-test="drivers-summary">Why do curves differ?</summary>
      <p
        {...(body === null
          ? { class: "ice-drivers-lead" }
          : explainedBy(explanation("curves_differ"), "ice-drivers-lead"))}
        data-test="drivers-lead"
      >
        {progress.state === "error" ? progress.message : (body?.lead ?? "")}
      </p>
      <div class="ice-splits">
        {splitsOf(body)
          .slice(0, MOST_CHIPS)
          .map((driver) => {
            const { column } = driver;
            const isOn = coloring === "driver" && colored === column;
            return (
              <div key={column} class="ice-split-row">
                <SplitChip driver={driver} canColour={kinds.has(column)} isOn={isOn} press={press(column)} />
                {/* What has no axis has no heat map. */}
                {!["other", undefined].includes(kinds.get(column)) && <Both first={body!.feature} second={column} />}
              </div>
            );
          })}
        {body !== null && body.combined.columns.length > 0 && (
          <Chip
            test="drivers-together"
            rule={`${body.combined.columns.join(" and ")} together`}
            share={percent(body.combined.share)}
            meaning={{ name: explanation("together").name, text: rulesText(body) }}
            isOn={isTogether}
            press={press(null)}
          />
        )}
      </div>
    </details>
  );
}

interface ChipProps {
  test: string;
  column?: string;
  rule: string;
  share: string;
  meaning: Explanation;
  disabled?: boolean;
  isOn: boolean;
  press: () => void;
}

/** A rule, its share, and what a click does. */
const Chip = ({ test, column, rule, share, meaning, disabled = false, isOn, press }: ChipProps) => (
  <button
    type="button"
    class="ice-split ice-explained"
    aria-pressed={isOn}
    data-test={test}
    data-column={column}
    disabled={disabled}
    {...hint(meaning.text, meaning.name)}
    onClick={press}
  >
    <span class="ice-split-rule">{rule}</span>{" "}
    <span>
      {share}
      <span class="ice-hidden"> of the variance between curves</span>
    </span>{" "}
    <span class="ice-split-act">colour</span>
  </button>
);

interface SplitProps extends Pick<ChipProps, "isOn" | "press"> {
  driver: DriverBody;
  canColour: boolean;
}

function SplitChip({ driver, canColour, ...pressed }: SplitProps) {
  const share = percent(driver.share);
  const rows = `${plural(driver.n_rule, "row")}, all others: ${plural(driver.n_rest, "row")}.`;
  const meaning = { name: `${driver.rule}: ${share}`, text: `${rows}\n${explanation("split").text}` };
  const { column, rule } = driver;
  return <Chip test="driver" {...{ column, rule, share, meaning }} disabled={!canColour} {...pressed} />;
}

/** Opens the heat map of the feature and a column. */
function Both({ first, second }: { first: string; second: string }) {
  const { store } = useView();
  const text = `See ${first} and ${second} together`;
  return (
    <button
      type="button"
      class="ice-both"
      aria-label={text}
      data-test="see-both"
      {...hint(`${text}: a heat map of the partial dependence on both.`)}
      onClick={() => store.openPair(first, second)}
    >
      <Icon name="both" />
    </button>
  );
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
