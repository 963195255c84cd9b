/** A control and the sentence that explains it, tied together for those who do not see them side by side. */
import { html } from "./element.ts";

/** Makes the sentence. Several views share a page, so its id is drawn by lot. */
export function description(control: HTMLElement, name: string): HTMLParagraphElement {
  const id = `ice-${name}-${Math.random().toString(36).slice(2)}`;
  control.setAttribute("aria-describedby", id);
  return html("p", { id, class: "ice-meaning", "data-test": name });
}
