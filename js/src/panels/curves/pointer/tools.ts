/** What a drag in the plot does, and the way back from a zoom: buttons at the plot's upper right corner. */

import { type Signal, signal } from "@preact/signals-core";
import { html } from "../../../elements/element.ts";
import { hinted } from "../../../elements/explained.ts";
import { focusedBeside } from "../../../elements/focus.ts";
import { icon } from "../../../elements/icons.ts";
import { listen } from "../../../elements/lifetime.ts";
import { segments } from "../../../elements/segments.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";

export type Tool = "select" | "zoom";

const TOOLS: Record<Tool, { label: string; hint: string }> = {
  select: {
    label: "Select curves",
    hint: "Click a curve, or drag up or down across several. Shift adds rows, Alt removes them.",
  },
  zoom: {
    label: "Zoom",
    hint: "Drag over the area to show. With any tool, Ctrl or ⌘ and the wheel zoom, Shift and drag pan.",
  },
};

export function plotTools(view: View, { plot, zoom }: Shown): { node: HTMLElement; tool: Signal<Tool> } {
  const tool = signal<Tool>("select");
  const names = Object.keys(TOOLS) as Tool[];
  const buttons = names.map((name) => {
    const { label, hint } = TOOLS[name];
    const attributes = { class: "ice-tool", "data-test": `tool-${name}`, "aria-label": label };
    return hinted(html("button", attributes, icon(name)), hint, label);
  });
  const choose = (place: number): void => {
    tool.value = names[place]!;
  };
  const { node: group, check } = segments("Drag tool", buttons, choose, view.aborted);
  const attributes = { type: "button", class: "ice-button ice-tool", "aria-label": "Show all" };
  const reset = html("button", { ...attributes, "data-test": "zoom-reset" }, icon("reset"));
  hinted(reset, "Show the whole axes again (0, or a double click).");
  listen(reset, view.aborted, { click: () => zoom.reset() });
  const node = html("div", { class: "ice-tools", "data-test": "plot-tools" }, reset, group);

  view.keep(() => names.indexOf(tool.value), check);
  view.keep(
    () => plot.value?.cut ?? { x: false, y: false },
    ({ x, y }) => {
      // A button that goes away would take the focus with it.
      if (!x && !y && focusedBeside(reset) === reset) buttons[names.indexOf(tool.peek())]!.focus();
      reset.hidden = !x && !y;
    },
  );
  return { node, tool };
}
