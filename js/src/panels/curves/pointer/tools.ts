/** What a drag in the plot does, and the way back from a zoom: buttons at the plot's upper right corner. */

import { type Signal, signal } from "@preact/signals-core";
import { html, update } from "../../../elements/element.ts";
import { hinted } from "../../../elements/explained.ts";
import { focusedBeside } from "../../../elements/focus.ts";
import { icon } from "../../../elements/icons.ts";
import { listen } from "../../../elements/lifetime.ts";
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
  const { aborted } = view;
  const tool = signal<Tool>("select");
  const names = Object.keys(TOOLS) as Tool[];
  const buttons = names.map((name) => {
    const { label, hint } = TOOLS[name];
    const attributes = { type: "button", role: "radio", class: "ice-segment ice-tool", "data-test": `tool-${name}` };
    return hinted(html("button", { ...attributes, "aria-label": label }, icon(name)), hint, label);
  });
  const group = html("div", { class: "ice-segments", role: "radiogroup", "aria-label": "Drag tool" }, ...buttons);
  for (const [place, button] of buttons.entries()) {
    listen(button, aborted, {
      click: () => {
        tool.value = names[place]!;
      },
    });
  }
  listen(group, aborted, {
    keydown: ({ key }) => {
      if (!/^Arrow/.test(key)) return;
      tool.value = tool.peek() === "select" ? "zoom" : "select";
      buttons[names.indexOf(tool.peek())]!.focus({ preventScroll: true });
    },
  });
  const reset = html(
    "button",
    {
      type: "button",
      class: "ice-button ice-tool",
      "aria-label": "Show all",
      "data-test": "zoom-reset",
    },
    icon("reset"),
  );
  hinted(reset, "Show the whole axes again (0, or a double click).");
  listen(reset, aborted, { click: () => zoom.reset() });
  const node = html("div", { class: "ice-tools", "data-test": "plot-tools" }, reset, group);

  view.keep(
    () => tool.value,
    (chosen) => {
      for (const [place, button] of buttons.entries()) {
        const checked = names[place] === chosen;
        update(button, { "aria-checked": String(checked), tabindex: checked ? 0 : -1 });
      }
    },
  );
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
