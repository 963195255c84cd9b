/** On demand, the rules that explain the differences between curves: each colours them, or opens the heat map of both. */
import { useSignal } from "@preact/signals";
import { splitsOf } from "../../state/two_sides.ts";
import { explanation } from "../../text/glossary.ts";
import { percent, plural } from "../../text/numbers.ts";
import { explainedBy, hint } from "../../ui/components.tsx";
import { Menu } from "../../view/menu.tsx";
import { useView } from "../../view/use_view.tsx";

const MOST_RULES = 3;

/** A link where a rule explains something, or where that could not be computed. */
export function Drivers() {
  const { store } = useView();
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  const progress = store.drivers.value;
  const { body } = progress;
  const kinds = new Map(store.figures.value?.header.columns.map(({ name, kind }) => [name, kind]));
  const rules = splitsOf(body).slice(0, MOST_RULES);
  const state =
    progress.state === "error" ? "error" : body === null ? "unknown" : rules.length > 0 ? "ready" : "nothing";
  return (
    <div class="ice-drivers" data-test="drivers" data-state={state} hidden={state === "unknown" || state === "nothing"}>
      <Menu
        {...{ name: "why", role: "group", title: "Why do curves differ?", isOpen }}
        button={{ class: "ice-link", children: "Why do curves differ?" }}
      >
        <p {...(body === null ? {} : explainedBy(explanation("curves_differ")))} data-test="drivers-lead">
          {progress.state === "error" ? progress.message : body && `${body.lead} Explained by:`}
        </p>
        {rules.map(({ column, rule, share, n_rule, n_rest }) => (
          <div key={column} class="ice-split-row">
            <Rule
              column={column}
              name={rule}
              share={share}
              close={close}
              text={`${plural(n_rule, "row")}, all others: ${plural(n_rest, "row")}.\n${explanation("split").text}`}
            />
            {/* What has no axis has no heat map. */}
            {!["other", undefined].includes(kinds.get(column)) && (
              <SeeBoth first={body!.feature} second={column} close={close} />
            )}
          </div>
        ))}
      </Menu>
    </div>
  );
}

interface RuleProps {
  column: string;
  name: string;
  share: number;
  text: string;
  /** Closes the list, which covers curves. */
  close: () => void;
}

/** A rule and its share; a click colours by it, another one restores the colours. */
function Rule({ column, name, share, text, close }: RuleProps) {
  const { store } = useView();
  const isKnown = store.figures.value?.header.columns.some((each) => each.name === column);
  return (
    <button
      type="button"
      class="ice-split"
      aria-pressed={store.isColoredByRule(column)}
      data-test="driver"
      data-column={column}
      disabled={!isKnown}
      {...hint(text, `${name}: ${percent(share)}`)}
      onClick={() => {
        close();
        store.colorByRule(column);
      }}
    >
      <span class="ice-split-rule">{name}</span>{" "}
      <span>
        {percent(share)}
        <span class="ice-hidden"> of the variance between curves</span>
      </span>{" "}
      <span class="ice-split-act">colour</span>
    </button>
  );
}

/** Opens the heat map of the feature and a column. */
function SeeBoth({ first, second, close }: { first: string; second: string; close: () => void }) {
  const { store } = useView();
  const text = `See ${first} and ${second} together`;
  return (
    <button
      type="button"
      class="ice-link"
      aria-label={text}
      data-test="see-both"
      {...hint(`${text}: a heat map of the partial dependence on both.`)}
      onClick={() => {
        close();
        store.openPair(first, second);
      }}
    >
      see both
    </button>
  );
}
