/** The view that components are part of. */
import { createContext, render, type VNode } from "preact";
import { useContext } from "preact/hooks";
import "../ui/components.tsx";
import { atEnd } from "../ui/lifetime.ts";
import type { View } from "./view.ts";

const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (view === null) throw new Error("A component must be inside of a view.");
  return view;
}

/** Shows a component inside of an element until the view ends. */
export function showIn(root: HTMLElement, view: View, content: VNode): void {
  const place = document.createElement("div");
  place.className = "ice-contents";
  root.append(place);
  render(<ViewContext.Provider value={view}>{content}</ViewContext.Provider>, place);
  atEnd(view.aborted, () => render(null, place));
}
