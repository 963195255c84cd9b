/** Elements that are explained: underlined with dots, with a tooltip under the pointer and on keyboard focus. */
import type { Explanation } from "../glossary.ts";
import { update } from "./element.ts";
import type { Tooltip } from "./tooltip.ts";

const CONTROLS = "button, input, select, summary, a[href], [tabindex]";
const ACTIVE = "button, input, select, summary, a[href], [role]";
const EXPLAINED = "[data-explanation]";
/** The pointer rests this long before a tooltip appears, so that none flashes by on the way to something else. */
const REST_MS = 200;

/** Marks an element as explained, or explains it anew. What is no control becomes reachable by the Tab key. */
export function explained<E extends HTMLElement>(node: E, { name, text }: Explanation): E {
  update(node, { "data-explanation": text, "data-explanation-title": name });
  node.classList.add("ice-explained");
  if (!node.matches(CONTROLS)) update(node, { tabindex: 0, "data-lm-suppress-shortcuts": "true" });
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
  const show = (node: HTMLElement): void => {
    hide();
    const { explanationTitle = "", explanation = "" } = node.dataset;
    tooltip.explain(explanationTitle, explanation, node.getBoundingClientRect());
    describedBy = node.getAttribute("aria-describedby");
    update(node, { "aria-describedby": tooltip.node.id });
    shown = node;
  };

  root.addEventListener(
    "pointerover",
    (event) => {
      const node = explainedOf(event);
      if (node !== null && node === shown && !tooltip.node.hidden) return;
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
      const node = explainedOf(event);
      // A press on a control focuses it as well: what it does is what the person wants then.
      if (node?.matches(":focus-visible")) show(node);
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
      if (node !== null && !node.matches(ACTIVE)) show(node);
    },
    options,
  );
  root.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || shown === null || tooltip.node.hidden) return;
      hide();
      event.preventDefault();
      event.stopPropagation();
    },
    { ...options, capture: true },
  );
  aborted.addEventListener("abort", hide, { once: true });
}
