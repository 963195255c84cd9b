/** Shows and stores pictures of explorers in every notebook that is opened. */
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { Widget } from "@lumino/widgets";
import { storePicturesOnSave } from "./saving.ts";
import { EXPLORER, ExplorerOutput, WIDGET } from "./stored_picture.ts";

/** Before that of widgets, -10. */
const RANK = -20;

type NotebookPanel = Widget & { content: { rendermime: IRenderMimeRegistry } };

export class NotebookExtension implements DocumentRegistry.WidgetExtension {
  /** Of each open file, which several panels may show. */
  readonly #outputs = new WeakMap<DocumentRegistry.Context, Set<ExplorerOutput>>();

  createNew(panel: Widget, context: DocumentRegistry.Context): void {
    const { rendermime } = (panel as NotebookPanel).content;
    let outputs = this.#outputs.get(context);
    if (outputs === undefined) {
      outputs = new Set();
      this.#outputs.set(context, outputs);
      storePicturesOnSave(context, outputs);
    }
    const shown = outputs;
    const addFactory = rendermime.addFactory.bind(rendermime);
    // ipywidgets replaces its renderer when it has a manager, and tells only the renderers that it finds in outputs.
    rendermime.addFactory = (factory, rank) => {
      addFactory(factory, rank);
      if (factory.mimeTypes.includes(WIDGET)) for (const output of shown) void output.refresh();
    };
    addFactory(
      {
        safe: true,
        mimeTypes: [EXPLORER],
        createRenderer: () => {
          const output = new ExplorerOutput((mimeType) => rendermime.createRenderer(mimeType));
          shown.add(output);
          output.disposed.connect(() => shown.delete(output));
          return output;
        },
      },
      RANK,
    );
  }
}
