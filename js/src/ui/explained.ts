/** Elements with a tooltip on hover and on keyboard focus: explained terms, and controls with a hint. */
import type { Explanation } from "../text/glossary.ts";
import { update } from "./element.ts";

const CONTROLS = "button, input, select, summary, a[href], [tabindex]";
const ACTIVE = "button, input, select, summary, a[href], [role]";

/** Marks an element as explained, or replaces its explanation. An element without a control becomes reachable by the Tab key. */
export function explained<E extends HTMLElement>(node: E, { name, text }: Explanation): E {
  update(node, { "data-explanation": text, "data-explanation-title": name });
  node.classList.add("ice-explained");
  if (!isReachable(node)) update(node, { tabindex: 0, "data-lm-suppress-shortcuts": "true" });
  return node;
}

const isReachable = (node: Element): boolean => node.matches(CONTROLS) || node.querySelector(CONTROLS) !== null;

/** Sets the hint of a control, or of a label around one: its action, or why it is not available. "" removes it. */
export function hinted<E extends HTMLElement>(node: E, text: string, name: string | null = null): E {
  update(node, { "data-explanation": text || null, "data-explanation-title": text === "" ? null : name });
  return node;
}

/** Removes the explanation of an element. */
export function unexplained(node: HTMLElement): void {
  update(node, { "data-explanation": null, "data-explanation-title": null });
  if (!node.matches(ACTIVE)) node.removeAttribute("tabindex");
  node.classList.remove("ice-explained");
}
