/** An element that another panel made, inside of a component. */
import { useLayoutEffect, useRef } from "preact/hooks";

export function Slot({ node, name = "ice-contents" }: { node: HTMLElement; name?: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current!.append(node), []);
  return <div ref={place} class={name} />;
}
