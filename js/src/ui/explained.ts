/** Elements with a tooltip on hover and on keyboard focus: explained terms, and controls with a hint. */
import type { Explanation } from "../text/glossary.ts";
import { update } from "./element.ts";
import type { Tooltip } from "./tooltip.ts";

const CONTROLS = "button, input, select, summary, a[href], [tabindex]";
const ACTIVE = "button, input, select, summary, a[href], [role]";
const EXPLAINED = "[data-explanation]";
/** A tooltip appears after the pointer has rested this long, not while it passes. */
const REST_MS = 200;

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

/** Shows the explanations of all elements inside of a root, also of those that are added later. */
export function showExplanations(root: HTMLElement, tooltip: Tooltip, aborted: AbortSignal): void {
  const shown = new ShownExplanation(tooltip);
  const options = { signal: aborted };
  root.addEventListener("pointerover", (event) => shown.enter(event), options);
  root.addEventListener("pointerout", (event) => shown.leave(event), options);
  root.addEventListener("focusin", (event) => shown.focus(event), options);
  root.addEventListener("focusout", () => shown.hide(), options);
  root.addEventListener("pointerdown", () => shown.hide(), options);
  root.addEventListener("click", (event) => shown.tap(event), options);
  root.addEventListener("keydown", (event) => shown.press(event), { ...options, capture: true });
  aborted.addEventListener("abort", () => shown.hide(), { once: true });
}

const explainedAt = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(EXPLAINED) : null;

/** The one explanation of a root that is visible. */
class ShownExplanation {
  /** The element that it describes, and that element's description before. */
  #control: Element | null = null;
  #describedBy: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly tooltip: Tooltip) {}

  enter(event: Event): void {
    const node = explainedAt(event);
    const control = this.#control;
    if (node !== null && control !== null && node.contains(control) && this.tooltip.content.peek() !== null) return;
    // A removed element is never left by the pointer.
    if (control?.isConnected === false) this.hide();
    clearTimeout(this.#timer);
    if (node !== null) this.#timer = setTimeout(() => node.isConnected && this.#show(node, node), REST_MS);
  }

  leave(event: PointerEvent): void {
    const node = explainedAt(event);
    if (node !== null && !node.contains(event.relatedTarget as Node | null)) this.hide();
  }

  focus(event: Event): void {
    const [node, control] = [explainedAt(event), event.target as Element];
    // A press focuses the control as well; its action takes precedence over its tooltip.
    if (node !== null && control.matches(":focus-visible")) this.#show(node, control);
  }

  /** A finger has no hover: a tap on an element without an action shows its explanation. */
  tap(event: Event): void {
    const node = explainedAt(event);
    if (node !== null && !node.matches(ACTIVE) && node.querySelector(CONTROLS) === null) this.#show(node, node);
  }

  press(event: KeyboardEvent): void {
    if (event.key !== "Escape" || this.#control === null || this.tooltip.content.peek() === null) return;
    this.hide();
    if (event.target instanceof Element && event.target.closest(".ice-menu") !== null) return; // which closes, too
    event.preventDefault();
    event.stopPropagation();
  }

  hide(): void {
    clearTimeout(this.#timer);
    if (this.#control === null) return;
    update(this.#control, { "aria-describedby": this.#describedBy });
    this.#control = null;
    this.tooltip.hide();
  }

  /** Shows the explanation of an element as the description of a control: the element, or one inside of it. */
  #show(node: HTMLElement, control: Element): void {
    this.hide();
    const { explanationTitle = "", explanation = "" } = node.dataset;
    this.tooltip.explain(explanationTitle, explanation, node.getBoundingClientRect());
    this.#describedBy = control.getAttribute("aria-describedby");
    // A name that is read out already is no description.
    if (control.getAttribute("aria-label") !== explanation) {
      update(control, { "aria-describedby": this.tooltip.id });
    }
    this.#control = control;
  }
}
