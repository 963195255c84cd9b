/** One view of an explorer. The cleanup that `show` returns ends all of it. */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { Settings } from "../state/settings.ts";
import { Store } from "../state/store.ts";
import { drawDue } from "../ui/components.tsx";
import { html } from "../ui/element.ts";
import { showExplanations } from "../ui/explained.ts";
import { Frames } from "../ui/frames.ts";
import { atEnd, react } from "../ui/lifetime.ts";
import { Tooltip } from "../ui/tooltip.ts";
import { followTheme } from "../view/theme.ts";
import type { View } from "../view/view.ts";
import type { Client } from "../wire/client.ts";
import type { Traits } from "../wire/protocol.ts";
import { type Exporting, layOut } from "./layout.ts";

/** Shows a model inside an element and requests missing data from the client. Export options depend on the host. */
export function show(
  model: AnyModel<Traits>,
  el: HTMLElement,
  client: Client,
  exporting: Exporting,
  settings: ReadonlySignal<Settings> = signal({}),
): () => void {
  const ending = new AbortController();
  const { signal: aborted } = ending;
  const root = html("div", { class: "ice-explorer", "data-test": "ice-explorer" });
  el.append(root);

  const store = new Store(model, client, settings);
  const frames = new Frames();
  const { theme, refresh } = followTheme(root, aborted);
  const tooltip = new Tooltip(root, frames);
  const view: View = {
    root,
    store,
    frames,
    theme,
    tooltip,
    aborted,
    isShown: () => true,
    keep: (read, draw) => atEnd(aborted, frames.keep(read, draw)),
    drawNow() {
      refresh();
      frames.flush();
      drawDue();
    },
  };
  react(aborted, () => {
    root.dataset.colors = settings.value.theme ?? "auto";
  });
  showExplanations(root, tooltip, aborted);
  layOut(view, exporting);
  keepState(view);

  return () => {
    ending.abort();
    frames.dispose();
    store.dispose();
    client.dispose();
    root.remove();
  };
}

/** Theme and status on the root element, for style sheets and tests. */
function keepState({ root, store, theme, keep }: View): void {
  keep(
    () => theme.value.dark,
    (dark) => {
      root.dataset.theme = dark ? "dark" : "light";
    },
  );
  keep(
    () => (store.client.alive.value ? store.status.value.state : "gone"),
    (state) => {
      root.dataset.status = state;
    },
  );
}
