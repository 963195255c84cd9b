/** The open one of several models, and for models with several outputs the explained one and the scale of the response. */

import { html, setText } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { optionsIn } from "../../elements/options.ts";
import type { View } from "../../view/view.ts";
import type { Header } from "../../wire/protocol.ts";
import { responseName } from "../../words/names.ts";
import { count } from "../../words/numbers.ts";

interface Choice {
  name: string;
  label: string;
  offered: (header: Header) => readonly string[];
  chosen: (store: View["store"]) => string;
  choose: (store: View["store"], value: string) => void;
  /** The label of a value; names of models and outputs are those of the user. */
  named: (value: string) => string;
}

const CHOICES: readonly Choice[] = [
  {
    name: "model",
    label: "Model",
    offered: ({ models }) => models,
    chosen: ({ openModel }) => openModel.value,
    choose: (store, value) => store.setModel(value),
    named: (model) => model,
  },
  {
    name: "output",
    label: "Output",
    offered: ({ outputs }) => outputs,
    chosen: ({ output }) => output.value,
    choose: (store, value) => store.setOutput(value),
    named: (output) => output,
  },
  {
    name: "response",
    label: "Response",
    offered: ({ responses }) => responses,
    chosen: ({ response }) => response.value,
    choose: (store, value) => store.setResponse(value),
    named: responseName,
  },
];

export function outputsPanel(view: View): HTMLElement {
  const [model, output, response] = CHOICES.map((choice) => picker(view, choice));
  return html("div", { class: "ice-outputs" }, model!, output!, sideBySide(view), response!);
}

/** Checkbox next to the output menu: show all outputs side by side. */
function sideBySide({ store, aborted, keep }: View): HTMLElement {
  const chosen = store.remembered.of("classes");
  const input = html("input", { type: "checkbox", "data-test": "classes-side-by-side" });
  const label = html("span", {});
  const field = html("label", { class: "ice-field ice-check" }, input, label);
  listen(input, aborted, { change: () => store.remembered.choose("classes", input.checked) });
  keep(
    () =>
      [
        chosen.value,
        store.figures.value?.header.outputs.length ?? 0,
        store.remembered.of("right").value === "feature",
      ] as const,
    ([on, n, ofOne]) => {
      field.hidden = n < 2 || !ofOne; // under all features in small there is no room for them
      input.checked = on;
      setText(label, `${n === 2 ? "both" : `all ${count(n)}`} side by side`);
    },
  );
  return field;
}

function picker({ store, aborted, keep }: View, { name, label, offered, chosen, choose, named }: Choice): HTMLElement {
  const select = html("select", { class: `ice-select ice-${name}-choice`, "data-test": name });
  const field = html("label", { class: "ice-field" }, `${label} `, select);
  listen(select, aborted, { change: () => choose(store, select.value) });
  const offer = optionsIn(select);
  keep(
    () => [store.figures.value?.header ?? null, chosen(store)] as const,
    ([header, value]) => {
      // A page without a kernel shows the other outputs side by side, and cannot explain them.
      const choices = header === null || !store.client.hasKernel ? [] : offered(header);
      field.hidden = choices.length < 2;
      offer(choices.map((each) => [each, named(each)]));
      select.value = value;
    },
  );
  return field;
}
