/**
 * The script of each explorer: it loads the front end from one model that all explorers of a kernel refer to.
 *
 * Script and style are a quarter of a megabyte. Models, with all their traits, are kept by pages and saved in notebooks,
 * and a page keeps each module that it loads; so one model per kernel has them, and a page loads them once.
 */
import type { AnyModel, Render } from "@anywidget/types";

interface FrontEnd {
  default: { render: Render };
}

interface Shared {
  /** Front ends by their script: notebooks of one page may run several versions. */
  [LOADED]?: Map<string, Promise<FrontEnd>>;
}

const LOADED = Symbol.for("ice-explorer.front-ends");
const REFERENCE = "IPY_MODEL_";

async function evaluate(script: string): Promise<FrontEnd> {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function load(model: AnyModel): Promise<FrontEnd> {
  const id = String(model.get("_front_end")).slice(REFERENCE.length);
  const script = (await model.widget_manager.get_model(id)).get("script") as string;
  const shared = globalThis as Shared;
  shared[LOADED] ??= new Map();
  const loading = shared[LOADED].get(script) ?? evaluate(script);
  shared[LOADED].set(script, loading);
  loading.catch(() => shared[LOADED]?.delete(script)); // so that a cell that runs again tries again
  return loading;
}

const render: Render = async (place) => {
  try {
    return await (await load(place.model as AnyModel)).default.render(place);
  } catch (error) {
    place.el.textContent = "The explorer cannot be shown: its script did not load. Run its cell again.";
    throw error;
  }
};

export default { render };
