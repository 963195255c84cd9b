/** A field that searches features by name, for long rankings. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { count, plural } from "../../text/numbers.ts";
import { useView } from "../../view/use_view.tsx";
import type { RankedList } from "./list.ts";

/** Of fewer features, most have a bar in sight. */
const LEAST_FEATURES = 21;
/** ↓ leads from the field to the bars, and Enter opens the first of them. */
export function SearchField({ list }: { list: RankedList }) {
  const { store } = useView();
  const field = useRef<HTMLInputElement>(null);
  const isHidden = (store.figures.value?.header.features.length ?? 0) < LEAST_FEATURES;
  const search = (text: string): void => {
    if (field.current!.value !== text) field.current!.value = text;
    list.query.value = text.trim();
  };
  useLayoutEffect(() => {
    if (isHidden) search("");
  }, [isHidden]);
  const press = (event: KeyboardEvent): void => {
    const isEmpty = field.current!.value === "";
    const acts: Record<string, () => void> = {
      Escape: () => (isEmpty ? list.focus(list.reachable.peek()) : search("")),
      ArrowDown: () => list.focus(list.reachable.peek()),
      Enter: () => list.open(0),
    };
    const act = acts[event.key];
    if (act === undefined || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div class="ice-search-row" hidden={isHidden}>
      <input
        ref={field}
        type="search"
        class="ice-search"
        defaultValue={list.query.peek()}
        placeholder="Search features"
        autocomplete="off"
        spellcheck={false}
        aria-label="Search features"
        data-test="search"
        onInput={({ currentTarget }) => search(currentTarget.value)}
        onKeyDown={press}
      />
      <span class="ice-search-count" role="status" data-test="search-count">
        {list.query.value !== "" &&
          `${count(list.matching.value.length)} of ${plural(store.ranking.value.length, "feature")}`}
      </span>
    </div>
  );
}
