/** The widget as anywidget loads it. Everything belongs to one view; nothing lives at module level. */
import type { AnyModel, Render } from "@anywidget/types";
import { KernelClient } from "./client.ts";
import type { Traits } from "./protocol.ts";
import { show } from "./show.ts";
import "./style.css";

const render: Render<Traits> = ({ model, el }) => show(model, el, new KernelClient(model as AnyModel));

export default { render };
