/** Messages about views to the kernel, so that a replaced explorer without a view stops computing. */
import type { AnyModel } from "@anywidget/types";
import type { ViewRequest } from "./protocol.ts";

/** Sends that there is a view; the returned function sends that it was removed. */
export function tellPresence(model: AnyModel): () => void {
  const view = crypto.randomUUID?.() ?? Math.random().toString(36).slice(2);
  const ending = new AbortController();
  const tell = (state: ViewRequest["state"]): void => {
    try {
      model.send({ id: `${view}-${state}`, type: "view", view, state } satisfies ViewRequest & { id: string });
    } catch {
      // There is no connection to the kernel; without the message an explorer continues to compute.
    }
  };
  tell("shown");
  window.addEventListener("pagehide", () => tell("left"), { signal: ending.signal });
  return () => {
    ending.abort();
    tell("removed");
  };
}
