/** The open feature for every class: requested after its curves, and only while visible. */
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../wire/client.ts";
import { type ClassCurves, decodeClasses } from "../wire/decode.ts";
import type { Store } from "./store.ts";

export type ClassesPicture =
  | { state: "off" }
  | { state: "loading"; previous: ClassCurves | null }
  | { state: "error"; message: string }
  | { state: "ready"; classes: ClassCurves };

/** Features whose classes stay at hand. */
const KEPT = 8;

export function followClasses(store: Store, aborted: AbortSignal): ReadonlySignal<ClassesPicture> {
  const picture = signal<ClassesPicture>({ state: "off" });
  const known = new Map<string, ClassCurves>();
  let turn = 0;

  const wanted = computed(() => {
    const shown = store.picture.value;
    const header = store.figures.value?.header;
    const isWanted = store.remembered.of("classes").value && header !== undefined && header.outputs.length > 1;
    if (!isWanted) return "";
    const feature = shown.state === "ready" ? shown.loaded.curves.feature : "";
    return JSON.stringify([feature, store.maxLines.value, store.response.value, store.output.value]);
  });

  const load = async (key: string): Promise<void> => {
    const mine = ++turn;
    if (key === "") {
      picture.value = { state: "off" };
      return;
    }
    const [feature, maxLines, response, output] = JSON.parse(key) as [string, number, string, string];
    const before = picture.peek();
    const previous = before.state === "ready" ? before.classes : before.state === "loading" ? before.previous : null;
    // The same rows and classes, whichever is explained.
    const asked = JSON.stringify([feature, maxLines, response]);
    const kept = known.get(asked);
    if (kept?.outputs.includes(output)) {
      picture.value = { state: "ready", classes: kept };
      return;
    }
    picture.value = { state: "loading", previous };
    if (feature === "") return; // its curves come first
    try {
      const { body, buffers } = await store.client.request({ type: "classes", feature, max_lines: maxLines });
      const classes = decodeClasses(body, buffers);
      known.set(asked, classes);
      for (const oldest of known.keys()) if (known.size > KEPT) known.delete(oldest);
      if (mine === turn) picture.value = { state: "ready", classes };
    } catch (error) {
      if (mine !== turn || error instanceof Cancelled) return;
      picture.value = { state: "error", message: sentenceOf(error) };
    }
  };

  const stop = effect(() => {
    const key = wanted.value;
    void load(key);
  });
  aborted.addEventListener("abort", stop, { once: true });
  return picture;
}
