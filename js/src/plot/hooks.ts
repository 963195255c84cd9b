/** Hooks of components that draw on canvases. */

import { useSignal } from "@preact/signals";
import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { react } from "../ui/lifetime.ts";
import { followSize, type Size } from "../view/size.ts";
import { useView } from "../view/use_view.tsx";

/** Draws in the next frame whenever a signal that `read` reads changes, while the component exists. */
export function useKept<T>(read: () => T, draw: (value: T) => void): void {
  const { frames } = useView();
  useLayoutEffect(() => frames.keep(read, draw), []);
}

/** Does something while the component exists: the signal is aborted with it. */
export function useLifetime(begin: (aborted: AbortSignal) => void): void {
  useLayoutEffect(() => {
    const ending = new AbortController();
    begin(ending.signal);
    return () => ending.abort();
  }, []);
}

/** The size of an element, which is 0 until it is in the page; `kept` keeps it for another element in its place. */
export function useSize(node: RefObject<HTMLElement | null>, kept?: Signal<Size>): ReadonlySignal<Size> {
  const fresh = useSignal<Size>({ width: 0, height: 0, ratio: 1 });
  const size = kept ?? fresh;
  useLifetime((aborted) => {
    const followed = followSize(node.current!, aborted);
    react(aborted, () => {
      if (followed.value.width > 0) size.value = followed.value;
    });
  });
  return size;
}
