/** The focused element in the tree of a node; for a shadow root, the document only has its host. */
export function focusedBeside(node: Node): Element | null {
  const root = node.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
}
