/** One view of an explorer: everything it makes ends with the cleanup that `show` returns. */
import type { AnyModel } from "@anywidget/types";
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { html } from "../elements/element.ts";
import { showExplanations } from "../elements/explained.ts";
import { Frames } from "../elements/frames.ts";
import { Tooltip } from "../elements/tooltip.ts";
import type { Settings } from "../store/settings.ts";
import { Store } from "../store/store.ts";
import { followTheme } from "../view/theme.ts";
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
  const root = html("div", { class: "ice-explorer", "data-test": "ice-explorer" });
  el.append(root);

  const store = new Store(model, client, settings);
  const frames = new Frames();
  const endings: (() => void)[] = [];
  const keep = <T>(read: () => T, draw: (value: T) => void): void => {
    endings.push(frames.keep(read, draw));
  };
  const { host, refresh } = followTheme(root, ending.signal);
  const theme = computed(() => ({ ...host.value, ramp: store.remembered.of("palette").value }));
  endings.push(
    effect(() => {
      root.dataset.colors = settings.value.theme ?? "auto";
    }),
  );
  const drawNow = (): void => {
    refresh();
    frames.flush();
  };
  const tooltip = new Tooltip(root, frames);
  showExplanations(root, tooltip, ending.signal);
  layOut({ root, store, frames, theme, tooltip, aborted: ending.signal, keep, drawNow }, exporting);
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

  return () => {
    ending.abort();
    for (const end of endings) end();
    frames.dispose();
    store.dispose();
    client.dispose();
    root.remove();
  };
}
