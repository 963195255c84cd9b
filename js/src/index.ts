/** The widget as anywidget loads it. All state belongs to one view; there is none at module level. */
import type { AnyModel, Render } from "@anywidget/types";
import { show } from "./app/show.tsx";
import { KernelExport } from "./panels/export/panel.tsx";
import { followSettings } from "./state/settings.ts";
import { ModelClient } from "./wire/client.ts";
import type { Traits } from "./wire/protocol.ts";
import "./style.css";

const render: Render<Traits> = ({ model, el }) => {
  const ending = new AbortController();
  const end = show(model, el, new ModelClient(model as AnyModel), KernelExport, followSettings(ending.signal));
  return () => {
    ending.abort();
    end();
  };
};

export default { render };
