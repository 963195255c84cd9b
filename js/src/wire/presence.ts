/** Tells the kernel which views there are: an explorer that was replaced and that nothing shows stops computing. */
import type { AnyModel } from "@anywidget/types";
import type { ViewRequest } from "./protocol.ts";

/** Tell that there is a view; the function returned tells that it was removed. */
export function tellPresence(model: AnyModel): () => void {
  const view = crypto.randomUUID?.() ?? Math.random().toString(36).slice(2);
  const ending = new AbortController();
  const tell = (state: ViewRequest["state"]): void => {
    try {
      model.send({ id: `${view}-${state}`, type: "view", view, state } satisfies ViewRequest & { id: string });
    } catch {
      // Without a connection to its kernel a page cannot tell, and an explorer that cannot know goes on.
    }
  };
  tell("shown");
  window.addEventListener("pagehide", () => tell("left"), { signal: ending.signal });
  return () => {
    ending.abort();
    tell("removed");
  };
}
