/** The description of a control, announced by screen readers. */
import { html, uniqueId } from "./element.ts";

/** Creates the element of the description. */
export function description(control: HTMLElement, name: string): HTMLParagraphElement {
  const id = uniqueId(`ice-${name}`);
  control.setAttribute("aria-describedby", id);
  return html("p", { id, class: "ice-meaning", "data-test": name });
}
