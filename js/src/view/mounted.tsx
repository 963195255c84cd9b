/** Components inside of a view. */
import { createContext, render, type VNode } from "preact";
import { useContext } from "preact/hooks";
import "../ui/components.tsx";
import { html } from "../ui/element.ts";
import { atEnd } from "../ui/lifetime.ts";
import type { View } from "./view.ts";

const ViewContext = createContext<View | null>(null);

/** The view that a component is part of. */
export function useView(): View {
  const view = useContext(ViewContext);
  if (view === null) throw new Error("A component must be inside of a view.");
  return view;
}

const WhileShown = ({ view, children }: { view: View; children: VNode }) =>
  view.isShown() ? <ViewContext.Provider value={view}>{children}</ViewContext.Provider> : null;

/** Shows a component in a place of the page until the view ends. It does not exist while its part of the view is hidden. */
export function renderIn(place: HTMLElement, view: View, content: VNode): void {
  render(<WhileShown view={view}>{content}</WhileShown>, place);
  atEnd(view.aborted, () => render(null, place));
}

/** A place for a component among elements that no component makes. */
export function mounted(view: View, content: VNode): HTMLElement {
  const place = html("div", { class: "ice-contents" });
  renderIn(place, view, content);
  return place;
}
