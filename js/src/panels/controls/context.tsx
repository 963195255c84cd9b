/** The top line, for example "What moves the probability of [Adelie]": the output, the open model, and facts. */
import { plural } from "../../text/numbers.ts";
import { Select, Term } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";

const SCORE =
  "Computed on the rows that are explained. If the model was fitted on them, new rows are predicted less well.";

export function ContextLine() {
  const { store } = useView();
  const header = store.figures.value?.header ?? null;
  // A page without a kernel shows the other outputs side by side, and cannot explain them.
  const { models = [], outputs = [] } = (store.client.hasKernel && header) || {};
  const label = header?.output_label ?? store.outputName.value;
  const chosen = outputs.find((output) => label.endsWith(` ${output}`));
  const n = header?.n_observations ?? 0;
  const facts = header === null || n === 0 ? [] : [header.model, plural(n, "row")];
  const score = n === 0 ? "" : (header?.score ?? "");
  return (
    <div class="ice-context">
      <span class="ice-context-title">
        <span data-test="context">
          What moves the {chosen === undefined ? label : label.slice(0, -chosen.length - 1)}
        </span>{" "}
        <Picker
          {...{ name: "output", label: "Output", offered: outputs, chosen: store.output.value }}
          choose={(output) => store.setOutput(output)}
        />
      </span>
      <Picker
        {...{ name: "model", label: "Model", offered: models, chosen: store.openModel.value }}
        choose={(model) => store.set("model", model)}
      />
      <span class="ice-context-facts" data-test="context-facts">
        {facts.filter(Boolean).join(" · ")}
        {score !== "" && " · "}
        {score !== "" && <Term of={{ name: score.replaceAll(" ", "\u00a0"), text: SCORE }} />}
      </span>
    </div>
  );
}

interface PickerProps {
  name: string;
  label: string;
  offered: readonly string[];
  chosen: string;
  choose: (value: string) => void;
}

const Picker = ({ name, label, offered, chosen, choose }: PickerProps) => (
  <label class="ice-field" hidden={offered.length < 2}>
    <Select
      class={`ice-select ice-${name}-choice`}
      value={chosen}
      options={offered.map((each) => [each, each])}
      choose={choose}
      aria-label={label}
      data-test={name}
    />
  </label>
);
