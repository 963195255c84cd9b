/** Details behind a fold: method, the definition of impact, and the notes. */
import type { ComponentChildren } from "preact";
import { explanation } from "../../text/glossary.ts";
import { CONVENTION_LABELS } from "../../text/metric_names.ts";
import { plural } from "../../text/numbers.ts";
import { useUniqueId } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { Convention, Header, Note } from "../../wire/protocol.ts";

const CONVENTIONS = Object.keys(CONVENTION_LABELS) as Convention[];

export function Details() {
  const { store } = useView();
  const [header, feature] = [store.figures.value?.header ?? null, store.feature.value];
  const isComputing = store.client.alive.value && store.status.value.state === "computing";
  const notes = isComputing ? [] : sorted(header?.notes ?? [], feature);
  return (
    <details class="ice-details" data-test="details" hidden={header === null}>
      <summary data-test="details-summary">
        {notes.length === 0 ? "Details" : `Details and ${plural(notes.length, "note")}`}
      </summary>
      <Detail title="Method">{header !== null && !isComputing && methodText(header)}</Detail>
      {header !== null && header.conventions.length > 0 && (
        <Detail title="How impact is counted">
          <Counting />
        </Detail>
      )}
      <Detail title="Notes">
        {notes.length > 0 && (
          <ul class="ice-notes" data-test="notes">
            {notes.map(({ feature: noted, text }) => (
              <li key={`${noted} ${text}`} data-test="note">
                {noted !== null && <strong>{noted}: </strong>}
                {text}
              </li>
            ))}
          </ul>
        )}
      </Detail>
    </details>
  );
}

/** A part with its title; hidden without content. */
const Detail = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="ice-detail" hidden={!children}>
    <h4 class="ice-detail-title">{title}</h4>
    {typeof children === "string" ? <p>{children}</p> : children}
  </div>
);

/** How impact is counted: three choices, each with a sentence. */
function Counting() {
  const { store } = useView();
  const group = useUniqueId("ice-convention");
  return (
    <div role="radiogroup" aria-label="How impact is counted" data-test="counting">
      {CONVENTIONS.map((convention) => (
        <div key={convention} class="ice-convention">
          <label class="ice-convention-label">
            <input
              type="radio"
              class="ice-radio"
              name={group}
              value={convention}
              checked={store.convention.value === convention}
              aria-describedby={`${group}-${convention}`}
              data-test={`convention-${convention}`}
              onChange={() => store.set("convention", convention)}
            />
            {CONVENTION_LABELS[convention]}
          </label>
          <p class="ice-meaning" id={`${group}-${convention}`}>
            {explanation(convention).text}
          </p>
        </div>
      ))}
    </div>
  );
}

const methodText = ({ method, method_reason }: Header): string =>
  method_reason === "" ? method : `${method}: ${method_reason}`;

/** Notes on the open feature first, then those on all features. */
function sorted(notes: readonly Note[], feature: string): Note[] {
  const order = (note: Note): number => (note.feature === feature ? 0 : note.feature === null ? 1 : 2);
  return [...notes].sort((a, b) => order(a) - order(b));
}
