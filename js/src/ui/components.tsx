/** How components are drawn, and small components that know no data. */
import "@preact/signals"; // components are drawn again when a signal that they read changes
import { type ComponentChildren, options, type VNode } from "preact";
import type { Explanation } from "../text/glossary.ts";

let due: (() => void) | null = null;
options.debounceRendering = (draw) => {
  due = draw;
  requestAnimationFrame(drawDue);
};

/** Draws at once what would be drawn in the next frame. */
export function drawDue(): void {
  const draw = due;
  due = null;
  draw?.();
}

/** JupyterLab intercepts arrow keys and letters on every focused element without this attribute. */
const FOCUSABLE = new Set(["button", "select", "input", "summary"]);
const formerHook = options.vnode;
options.vnode = (vnode) => {
  const { type, props } = vnode as VNode<Record<string, unknown>>;
  if (typeof type === "string" && (FOCUSABLE.has(type) || "tabIndex" in props)) {
    props["data-lm-suppress-shortcuts"] = "true";
  }
  formerHook?.(vnode);
};

/** Attributes of a control with a hint: its action, or why it is not available. */
export const hint = (text: string, name: string | null = null) =>
  text === "" ? {} : { "data-explanation": text, "data-explanation-title": name ?? undefined };

/** A term with its explanation, by default under its own name. */
export const Term = ({ of, children }: { of: Explanation; children?: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard focus shows the explanation.
  <span class="ice-explained" tabIndex={0} {...hint(of.text, of.name)}>
    {children ?? of.name}
  </span>
);
