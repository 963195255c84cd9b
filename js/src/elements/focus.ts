/** What has the keyboard among the elements that a node lives with: under a shadow root the page names its host only. */
export function focusedBeside(node: Node): Element | null {
  const root = node.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
}
