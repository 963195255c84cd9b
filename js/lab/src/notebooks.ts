/** Shows and stores pictures of explorers in every notebook that is opened. */
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { Widget } from "@lumino/widgets";
import { storePicturesOnSave } from "./saving.ts";
import { EXPLORER, ExplorerOutput } from "./stored_picture.ts";

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
    rendermime.addFactory(
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
