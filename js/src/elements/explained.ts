/** Elements with a tooltip under the pointer and on keyboard focus: words with an explanation, and controls with a hint. */
import type { Explanation } from "../words/glossary.ts";
import { update } from "./element.ts";
import type { Tooltip } from "./tooltip.ts";

const CONTROLS = "button, input, select, summary, a[href], [tabindex]";
const ACTIVE = "button, input, select, summary, a[href], [role]";
const EXPLAINED = "[data-explanation]";
/** The pointer rests this long before a tooltip appears, so that none flashes by on the way to something else. */
const REST_MS = 200;

/** Marks an element as explained, or explains it anew. What holds no control becomes reachable by the Tab key. */
export function explained<E extends HTMLElement>(node: E, { name, text }: Explanation): E {
  update(node, { "data-explanation": text, "data-explanation-title": name });
  node.classList.add("ice-explained");
  if (!isReachable(node)) update(node, { tabindex: 0, "data-lm-suppress-shortcuts": "true" });
  return node;
}

const isReachable = (node: Element): boolean => node.matches(CONTROLS) || node.querySelector(CONTROLS) !== null;

/** Gives a control, or a label around one, a hint: what it does, or why it does nothing. "" takes it away. */
export function hinted<E extends HTMLElement>(node: E, text: string, name: string | null = null): E {
  update(node, { "data-explanation": text || null, "data-explanation-title": text === "" ? null : name });
  return node;
}

/** Takes the explanation from an element. */
export function unexplained(node: HTMLElement): void {
  update(node, { "data-explanation": null, "data-explanation-title": null });
  if (!node.matches(ACTIVE)) node.removeAttribute("tabindex");
  node.classList.remove("ice-explained");
}

/** Shows the explanations of all elements inside of a root, also of those that are added later. */
export function showExplanations(root: HTMLElement, tooltip: Tooltip, aborted: AbortSignal): void {
  const options = { signal: aborted };
  /** The element whose explanation is shown, and what described it before. */
  let shown: Element | null = null;
  let describedBy: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const explainedOf = (event: Event): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>(EXPLAINED) : null;

  const hide = (): void => {
    clearTimeout(timer);
    if (shown === null) return;
    update(shown, { "aria-describedby": describedBy });
    shown = null;
    tooltip.hide();
  };
  /** The explanation of an element; `control` is what it describes, the element or a control inside. */
  const show = (node: HTMLElement, control: Element = node): void => {
    hide();
    const { explanationTitle = "", explanation = "" } = node.dataset;
    tooltip.explain(explanationTitle, explanation, node.getBoundingClientRect());
    describedBy = control.getAttribute("aria-describedby");
    // A name that is read out already is no description.
    if (control.getAttribute("aria-label") !== explanation) update(control, { "aria-describedby": tooltip.node.id });
    shown = control;
  };

  root.addEventListener(
    "pointerover",
    (event) => {
      const node = explainedOf(event);
      if (node !== null && shown !== null && node.contains(shown) && !tooltip.node.hidden) return;
      // What was explained may be gone, and then the pointer never leaves it.
      if (shown?.isConnected === false) hide();
      clearTimeout(timer);
      if (node === null) return;
      timer = setTimeout(() => node.isConnected && show(node), REST_MS);
    },
    options,
  );
  root.addEventListener(
    "pointerout",
    (event) => {
      const node = explainedOf(event);
      if (node === null || node.contains(event.relatedTarget as Node | null)) return;
      hide();
    },
    options,
  );
  root.addEventListener(
    "focusin",
    (event) => {
      const [node, control] = [explainedOf(event), event.target as Element];
      // A press focuses the control as well; its action takes precedence over its tooltip.
      if (node !== null && control.matches(":focus-visible")) show(node, control);
    },
    options,
  );
  root.addEventListener("focusout", hide, options);
  root.addEventListener("pointerdown", hide, options);
  // A finger has no hover: a tap on what does nothing else shows its explanation.
  root.addEventListener(
    "click",
    (event) => {
      const node = explainedOf(event);
      if (node !== null && !node.matches(ACTIVE) && node.querySelector(CONTROLS) === null) show(node);
    },
    options,
  );
  root.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || shown === null || tooltip.node.hidden) return;
      hide();
      if (event.target instanceof Element && event.target.closest(".ice-menu") !== null) return; // which closes, too
      event.preventDefault();
      event.stopPropagation();
    },
    { ...options, capture: true },
  );
  aborted.addEventListener("abort", hide, { once: true });
}
