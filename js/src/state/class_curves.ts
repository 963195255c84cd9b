/** The open feature for every class: requested after its curves, and only while visible. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { atEnd } from "../ui/lifetime.ts";
import type { ClassesBody } from "../wire/protocol.ts";
import { Feed, type Progress, type Wanted } from "./feed.ts";
import type { Store } from "./store.ts";

/** The number of features whose classes are kept. */
const KEPT = 8;

const WAITING: Progress<ClassesBody> = { state: "computing", share: 0, body: null };

interface Requested extends Wanted {
  feature: string;
  maxLines: number;
}

/** Null while no classes are shown. */
export function followClasses(store: Store, aborted: AbortSignal): ReadonlySignal<Progress<ClassesBody> | null> {
  /** The classes of each reply: of many, it has the most probable ones and the one that is explained. */
  const outputs = new Map<string, readonly string[]>();
  const isShown = computed(() => {
    const nOutputs = store.figures.value?.header.outputs.length ?? 0;
    return store.remembered.of("classes").value && nOutputs > 1;
  });
  const wanted = computed((): Requested | null => {
    const picture = store.picture.value;
    if (!isShown.value || picture.state !== "ready") return null;
    const { feature } = picture.loaded.curves;
    const [maxLines, output] = [store.maxLines.value, store.output.value];
    const rows = JSON.stringify([feature, maxLines, store.response.value]);
    const isSeparate = outputs.get(rows)?.includes(output) === false;
    return { key: isSeparate ? `${rows} ${output}` : rows, version: store.nRowsOf(feature), feature, maxLines };
  });
  const request = async ({ key, feature, maxLines }: Requested) => {
    const body = await store.client.request({ type: "classes", feature, max_lines: maxLines });
    outputs.set(key, body.outputs);
    return { share: 1, body };
  };
  const feed = new Feed(wanted, request, { room: { size: () => 1, most: KEPT } });
  atEnd(aborted, () => feed.dispose());
  return computed(() => {
    if (!isShown.value) return null;
    return wanted.value === null ? WAITING : feed.of(wanted.value.key);
  });
}
