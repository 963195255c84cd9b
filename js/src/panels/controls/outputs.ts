/** The top line: the explained one of several outputs, the open one of several models, and facts. */

import { plural } from "../../text/numbers.ts";
import { html, setText } from "../../ui/element.ts";
import { listen } from "../../ui/lifetime.ts";
import { optionsIn } from "../../ui/options.ts";
import type { View } from "../../view/view.ts";
import type { Header } from "../../wire/protocol.ts";

interface Choice {
  name: string;
  label: string;
  offered: (header: Header) => readonly string[];
  chosen: (store: View["store"]) => string;
  choose: (store: View["store"], value: string) => void;
}

const CHOICES: readonly Choice[] = [
  {
    name: "model",
    label: "Model",
    offered: ({ models }) => models,
    chosen: ({ openModel }) => openModel.value,
    choose: (store, value) => store.set("model", value),
  },
  {
    name: "output",
    label: "Output",
    offered: ({ outputs }) => outputs,
    chosen: ({ output }) => output.value,
    choose: (store, value) => store.setOutput(value),
  },
];

/** What the explorer is about: "What moves the probability of [Adelie]", and facts. */
export function contextLine(view: View): HTMLElement {
  const { store, keep } = view;
  const [model, output] = CHOICES.map((choice) => picker(view, choice));
  const lead = html("span", { "data-test": "context" });
  const facts = html("span", { class: "ice-context-facts", "data-test": "context-facts" });
  const title = html("span", { class: "ice-context-title" }, lead, " ", output!);
  keep(
    () => [store.figures.value?.header ?? null, store.outputName.value] as const,
    ([header, name]) => {
      const label = header?.output_label ?? name;
      const chosen = store.client.hasKernel ? header?.outputs.find((each) => label.endsWith(` ${each}`)) : undefined;
      setText(lead, `What moves the ${chosen === undefined ? label : label.slice(0, -chosen.length - 1)}`);
      const n = header?.n_observations ?? 0;
      const known = header === null || n === 0 ? [] : [header.model, plural(n, "row"), header.score];
      setText(facts, known.filter(Boolean).join(" · "));
    },
  );
  return html("div", { class: "ice-context" }, title, model!, facts);
}

function picker({ store, aborted, keep }: View, { name, label, offered, chosen, choose }: Choice): HTMLElement {
  const attributes = { class: `ice-select ice-${name}-choice`, "data-test": name, "aria-label": label };
  const select = html("select", attributes);
  const field = html("label", { class: "ice-field" }, select);
  listen(select, aborted, { change: () => choose(store, select.value) });
  const offer = optionsIn(select);
  keep(
    () => [store.figures.value?.header ?? null, chosen(store)] as const,
    ([header, value]) => {
      // A page without a kernel shows the other outputs side by side, and cannot explain them.
      const choices = header === null || !store.client.hasKernel ? [] : offered(header);
      field.hidden = choices.length < 2;
      offer(choices.map((each) => [each, each]));
      select.value = value;
    },
  );
  return field;
}
