/** Elements with attributes and children. Text from users only ever becomes text nodes. */

export type Attributes = Record<string, string | number | boolean | null | undefined>;

const SVG = "http://www.w3.org/2000/svg";

/** JupyterLab intercepts arrow keys and letters on every focused element without this attribute. */
const KEEP_KEYS = "data-lm-suppress-shortcuts";
const FOCUSABLE = new Set(["button", "select", "input", "summary"]);

export function update(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (FOCUSABLE.has(tag) || "tabindex" in attributes) node.setAttribute(KEEP_KEYS, "true");
  update(node, attributes);
  node.append(...children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, tag);
  update(node, attributes);
  node.append(...children);
  return node;
}

/** An id that is unique on the page, where several views may be. */
export const uniqueId = (prefix: string): string => `${prefix}-${Math.random().toString(36).slice(2)}`;

/** Writes a text only if it changes, so that live regions are announced once and no layout is computed. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
