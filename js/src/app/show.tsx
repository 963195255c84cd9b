/** One view of an explorer. The cleanup that `show` returns ends all of it. */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { Settings } from "../state/settings.ts";
import { Store } from "../state/store.ts";
import { drawDue } from "../ui/components.tsx";
import { Frames } from "../ui/frames.ts";
import { Tooltip } from "../ui/tooltip.ts";
import { followTheme } from "../view/theme.ts";
import { showIn } from "../view/use_view.tsx";
import type { View } from "../view/view.ts";
import type { Client } from "../wire/client.ts";
import type { Traits } from "../wire/protocol.ts";
import { Explorer, type ExportPanel } from "./explorer.tsx";

/** Shows a model inside an element and requests missing data from the client. `Export` is the menu of the host. */
export function show(
  model: AnyModel<Traits>,
  el: HTMLElement,
  client: Client,
  Export: ExportPanel,
  settings: ReadonlySignal<Settings> = signal({}),
): () => void {
  const ending = new AbortController();
  const { signal: aborted } = ending;
  const root = document.createElement("div");
  root.className = "ice-explorer";
  root.dataset.test = "ice-explorer";
  el.append(root);

  const store = new Store(model, client, settings);
  const frames = new Frames();
  const { theme, refresh } = followTheme(root, aborted);
  const view: View = {
    root,
    store,
    frames,
    theme,
    tooltip: new Tooltip(),
    aborted,
    drawNow() {
      drawDue(); // the chosen colours may be others
      refresh();
      frames.flush();
      drawDue();
    },
  };
  showIn(root, view, <Explorer Export={Export} />);

  return () => {
    ending.abort();
    frames.dispose();
    store.dispose();
    client.dispose();
    root.remove();
  };
}
