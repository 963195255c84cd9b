/** Stores the pictures of the explorers in a notebook when it is saved. */
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { Kernel } from "@jupyterlab/services";
import type { ExplorerOutput } from "./stored_picture.ts";

/** Of comms, as in `widget/static_picture.py`. */
const TARGET = "ice-explorer.picture";
/** Saving waits no longer for pictures. */
const LIMIT_MS = 2000;

/** The picture of the explorer of a widget model as it is now; null where the kernel has none. */
async function requestPicture(kernel: Kernel.IKernelConnection, modelId: string): Promise<string | null> {
  const comm = kernel.createComm(TARGET);
  let giveUp: (_kernel: unknown, status?: unknown) => void = () => undefined;
  try {
    return await new Promise((resolve, reject) => {
      giveUp = (_kernel, status) => {
        if (status !== "busy" && status !== "idle") resolve(null); // restarted, for instance
      };
      kernel.statusChanged.connect(giveUp);
      kernel.disposed.connect(giveUp);
      comm.onMsg = ({ content }) => resolve(content.data.picture as string | null);
      comm.onClose = () => resolve(null);
      comm.open({ model_id: modelId }).done.catch(reject);
    });
  } finally {
    kernel.statusChanged.disconnect(giveUp);
    kernel.disposed.disconnect(giveUp);
    if (!comm.isDisposed) void comm.close();
  }
}

/** Stores the current picture of an explorer; without an answer the picture of before stays. */
async function storePicture(kernel: Kernel.IKernelConnection, output: ExplorerOutput): Promise<void> {
  const picture = await requestPicture(kernel, output.modelId).catch(() => null);
  if (picture !== null) output.store(picture);
}

/**
 * Stores the pictures of all explorers on the page before a notebook is saved. It is saved in any case, and once more
 * if a picture comes later.
 */
export function storePicturesOnSave(context: DocumentRegistry.Context, outputs: ReadonlySet<ExplorerOutput>): void {
  const save = context.save.bind(context);
  let [isWaiting, isStale] = [false, false];
  context.save = async () => {
    const kernel = context.sessionContext.session?.kernel;
    const live = [...outputs].filter(({ modelId }) => modelId !== "");
    isStale = isWaiting;
    if (kernel?.connectionStatus !== "connected" || live.length === 0 || isWaiting) return save();
    isWaiting = true;
    let isSaved = false;
    const store = async (): Promise<void> => {
      do {
        isStale = false; // until it is saved again meanwhile: some of the pictures may be of before
        await Promise.all(live.map((output) => storePicture(kernel, output)));
      } while (isStale);
      isWaiting = false;
      if (isSaved && context.model.dirty && !context.isDisposed) await save();
    };
    await Promise.race([store(), new Promise((resolve) => setTimeout(resolve, LIMIT_MS))]);
    isSaved = true;
    return save();
  };
}
