/** Stores the pictures of the explorers in a notebook when it is saved. */
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { Kernel } from "@jupyterlab/services";
import type { ExplorerOutput } from "./stored_picture.ts";

/** Of comms, as in `widget/static_picture.py`. */
const TARGET = "ice-explorer.picture";
/** Saving waits no longer; what comes later is stored then, and saved the next time. */
const LIMIT_MS = 2000;

/** The picture of the explorer of a widget model as it is now; null where the kernel has none. */
async function requestPicture(kernel: Kernel.IKernelConnection, modelId: string): Promise<string | null> {
  const comm = kernel.createComm(TARGET);
  try {
    return await new Promise((resolve, reject) => {
      comm.onMsg = ({ content }) => resolve(content.data.picture as string | null);
      comm.onClose = () => resolve(null);
      kernel.disposed.connect(() => resolve(null));
      comm.open({ model_id: modelId }).done.catch(reject);
    });
  } finally {
    if (!comm.isDisposed) void comm.close();
  }
}

async function storePicture(kernel: Kernel.IKernelConnection, output: ExplorerOutput): Promise<void> {
  const picture = await requestPicture(kernel, output.modelId);
  if (typeof picture === "string") output.store(picture);
}

/** Asks for the pictures of all explorers on the page before a notebook is saved, which it is in any case. */
export function storePicturesOnSave(context: DocumentRegistry.Context, outputs: ReadonlySet<ExplorerOutput>): void {
  const save = context.save.bind(context);
  context.save = async () => {
    const kernel = context.sessionContext.session?.kernel;
    const live = [...outputs].filter(({ modelId }) => modelId !== "");
    if (kernel?.connectionStatus === "connected" && live.length > 0) {
      // Without an answer the picture of before stays.
      const stored = live.map((output) => storePicture(kernel, output).catch(() => undefined));
      await Promise.race([Promise.all(stored), new Promise((resolve) => setTimeout(resolve, LIMIT_MS))]);
    }
    await save();
  };
}
