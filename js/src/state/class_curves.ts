/** The open feature for every class: requested after its curves, and only while visible. */
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../wire/client.ts";
import type { ClassesBody } from "../wire/protocol.ts";
import type { Store } from "./store.ts";

export type ClassesPicture =
  | { state: "off" }
  | { state: "loading"; previous: ClassesBody | null }
  | { state: "error"; message: string }
  | { state: "ready"; classes: ClassesBody };

/** The number of features whose classes are kept. */
const KEPT = 8;

/** The curves that are requested, as the key of the request; "" while no classes are shown. */
const requestKey = (store: Store): string => {
  const shown = store.picture.value;
  const header = store.figures.value?.header;
  const isShown = store.remembered.of("classes").value && header !== undefined && header.outputs.length > 1;
  if (!isShown) return "";
  const feature = shown.state === "ready" ? shown.loaded.curves.feature : "";
  return JSON.stringify([
    feature,
    store.maxLines.value,
    store.response.value,
    store.output.value,
    store.nRowsOf(feature),
  ]);
};

class ClassesFeed {
  readonly picture = signal<ClassesPicture>({ state: "off" });
  readonly #kept = new Map<string, ClassesBody>();
  #turn = 0;
  /** What is on screen, of whatever rows. */
  #shown = "";

  constructor(private readonly store: Store) {}

  async load(key: string): Promise<void> {
    const turn = ++this.#turn;
    if (key === "") {
      this.picture.value = { state: "off" };
      return;
    }
    const [feature, maxLines, response, output, nRows] = JSON.parse(key) as [string, number, string, string, number];
    // The same rows and classes, whichever class is explained.
    const shown = JSON.stringify([feature, maxLines, response]);
    const before = this.picture.peek();
    const stays = shown === this.#shown && before.state === "ready" && before.classes.outputs.includes(output);
    this.#shown = shown;
    const keptAs = `${shown} ${nRows}`;
    const kept = this.#kept.get(keptAs);
    if (kept?.outputs.includes(output)) {
      this.picture.value = { state: "ready", classes: kept };
      return;
    }
    if (!stays) this.picture.value = { state: "loading", previous: this.#previous() };
    if (feature === "") return; // its curves come first
    try {
      const classes = await this.#request(feature, maxLines, keptAs);
      if (turn === this.#turn) this.picture.value = { state: "ready", classes };
    } catch (error) {
      if (turn !== this.#turn || stays || error instanceof Cancelled) return;
      this.picture.value = { state: "error", message: sentenceOf(error) };
    }
  }

  #previous(): ClassesBody | null {
    const before = this.picture.peek();
    return before.state === "ready" ? before.classes : before.state === "loading" ? before.previous : null;
  }

  async #request(feature: string, maxLines: number, keptAs: string): Promise<ClassesBody> {
    const classes = await this.store.client.request({ type: "classes", feature, max_lines: maxLines });
    this.#kept.set(keptAs, classes);
    for (const oldest of this.#kept.keys()) if (this.#kept.size > KEPT) this.#kept.delete(oldest);
    return classes;
  }
}

export function followClasses(store: Store, aborted: AbortSignal): ReadonlySignal<ClassesPicture> {
  const feed = new ClassesFeed(store);
  const key = computed(() => requestKey(store));
  const stop = effect(() => {
    const requested = key.value;
    void feed.load(requested);
  });
  aborted.addEventListener("abort", stop, { once: true });
  return feed.picture;
}
