/** Explanations of terms and controls: a tooltip on hover, on keyboard focus and on tap. */
import { useLayoutEffect } from "preact/hooks";
import type { View } from "./view.ts";

const CONTROLS = "button, input, select, summary, a[href], [tabindex]";
const ACTIVE = "button, input, select, summary, a[href], [role]";
/** A tooltip appears after the pointer has rested this long, not while it passes. */
const REST_MS = 200;

const explainedElement = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-explanation]") : null;

/** Shows the explanations of all elements of the view, also of those that are added later. */
export function useExplanations({ root, tooltip }: View): void {
  useLayoutEffect(() => {
    /** The element that the visible explanation describes, and that element's description before. */
    let described: { control: Element; before: string | null } | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isVisible = (): boolean => described !== null && tooltip.content.peek() !== null;
    const hide = (): void => {
      clearTimeout(timer);
      if (described === null) return;
      const { control, before } = described;
      if (before === null) control.removeAttribute("aria-describedby");
      else control.setAttribute("aria-describedby", before);
      described = null;
      tooltip.hide();
    };
    /** Shows the explanation of an element as the description of a control: the element, or one inside of it. */
    const show = (node: HTMLElement, control: Element): void => {
      hide();
      const { explanationTitle = "", explanation = "" } = node.dataset;
      tooltip.explain(explanationTitle, explanation, node.getBoundingClientRect());
      described = { control, before: control.getAttribute("aria-describedby") };
      // A name that is read out already is no description.
      if (control.getAttribute("aria-label") !== explanation) control.setAttribute("aria-describedby", tooltip.id);
    };
    const listeners = {
      pointerover: (event: Event) => {
        const node = explainedElement(event);
        if (isVisible() && node?.contains(described!.control)) return;
        // A removed element is never left by the pointer.
        if (described?.control.isConnected === false) hide();
        clearTimeout(timer);
        if (node !== null) timer = setTimeout(() => node.isConnected && show(node, node), REST_MS);
      },
      pointerout: (event: Event) => {
        const node = explainedElement(event);
        if (node !== null && !node.contains((event as PointerEvent).relatedTarget as Node | null)) hide();
      },
      focusin: (event: Event) => {
        const [node, control] = [explainedElement(event), event.target as Element];
        // A press focuses the control as well; its action takes precedence over its tooltip.
        if (node !== null && control.matches(":focus-visible")) show(node, control);
      },
      focusout: hide,
      pointerdown: hide,
      /** A finger has no hover: a tap on an element without an action shows its explanation. */
      click: (event: Event) => {
        const node = explainedElement(event);
        if (node !== null && !node.matches(ACTIVE) && node.querySelector(CONTROLS) === null) show(node, node);
      },
    };
    const closeByKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !isVisible()) return;
      hide();
      if ((event.target as Element).closest(".ice-menu") !== null) return; // which closes, too
      event.preventDefault();
      event.stopPropagation();
    };
    const ending = new AbortController();
    const { signal } = ending;
    for (const [type, listener] of Object.entries(listeners)) root.addEventListener(type, listener, { signal });
    root.addEventListener("keydown", closeByKey, { signal, capture: true });
    return () => {
      hide();
      ending.abort();
    };
  }, []);
}
