/** The open one of several models, and the explained one of several outputs. */

import { html } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { optionsIn } from "../../elements/options.ts";
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
    choose: (store, value) => store.setModel(value),
  },
  {
    name: "output",
    label: "Output",
    offered: ({ outputs }) => outputs,
    chosen: ({ output }) => output.value,
    choose: (store, value) => store.setOutput(value),
  },
];

export const outputsPanel = (view: View): HTMLElement =>
  html("div", { class: "ice-outputs" }, ...CHOICES.map((choice) => picker(view, choice)));

function picker({ store, aborted, keep }: View, { name, label, offered, chosen, choose }: Choice): HTMLElement {
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
      offer(choices.map((each) => [each, each]));
      select.value = value;
    },
  );
  return field;
}
