/** The features that have a bar, and what leads to them. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Store } from "../../state/store.ts";
import { folded, matches } from "../../text/search.ts";
import { drawDue } from "../../ui/components.tsx";
import { Viewport } from "./viewport.ts";

/** Rows in a narrow cell, so that the curves are in sight. */
export const FEW_ROWS = 5;

export class RankedList {
  readonly query = signal("");
  readonly #names = computed(() => (this.store.figures.value?.header.features ?? []).map(({ name }) => folded(name)));
  readonly #isMatch = computed(() => matches(this.#names.value, this.query.value));
  /** The ranked features whose names contain the search text. */
  readonly matching = computed(() => this.store.ranking.value.filter(({ index }) => this.#isMatch.value[index]));
  readonly showsAll = signal(false);
  readonly isCut = computed(
    () => this.isNarrow.value && !this.showsAll.value && this.matching.value.length > FEW_ROWS + 1,
  );
  /** Those that have a row: all, or the first few with the open one among them. */
  readonly listed = computed(() =>
    this.isCut.value ? firstOf(this.matching.value, this.store.feature.value) : this.matching.value,
  );
  /** The one that the Tab key reaches; undefined where there are no rows. */
  readonly reachable = computed(() => {
    const [matching, opened] = [this.matching.value, this.store.feature.value];
    return matching.some(({ name }) => name === opened) ? opened : matching[0]?.name;
  });
  /** What the list was last scrolled to, and whether the feature had no place by its figure yet. */
  #revealed = { feature: "", query: "", isPlaceless: false };
  readonly viewport = new Viewport(computed(() => this.listed.value.length));

  /** `isNarrow` says whether the curves are below the bars. */
  constructor(
    private readonly store: Store,
    readonly isNarrow: ReadonlySignal<boolean>,
  ) {}

  /** Scrolls to the open feature when another one is opened, and once more when it gets its place by its figure. */
  revealOpened(): void {
    const [feature, query, ranking] = [this.store.feature.peek(), this.query.peek(), this.store.ranking.peek()];
    const { isPlaceless, ...before } = this.#revealed;
    const isChanged = feature !== before.feature || query !== before.query;
    if (!isChanged && !isPlaceless) return;
    // While figures come in, the last order is kept for a moment.
    const isSorted = ranking.every(({ rank }, place) => rank === place + 1);
    const hasPlace = isSorted && ranking.some(({ known, name }) => known && name === feature);
    if (isChanged || (hasPlace && !this.viewport.isMoved)) {
      this.viewport.reveal(this.listed.peek().findIndex(({ name }) => name === feature));
    }
    this.#revealed = { feature, query, isPlaceless: !hasPlace };
  }

  /** Moves the focus to the bar of a feature, in view or not. */
  focus(name = ""): void {
    drawDue(); // it may have no row yet
    // By its name: drawing may take the focus from a row that goes, after which the features are ranked anew.
    this.viewport.reveal(this.listed.peek().findIndex((ranked) => ranked.name === name));
    const row = this.viewport.node?.querySelector<HTMLElement>(`[data-feature="${CSS.escape(name)}"]`);
    row?.focus({ preventScroll: true });
  }

  /** Opens the feature at a place of the list, and moves the focus there. */
  open(place: number): void {
    const name = this.matching.peek()[place]?.name;
    if (name === undefined) return;
    this.store.open(name);
    this.focus(name);
  }

  /** Where a key leads from a feature; undefined for a key without a function. */
  placeByKey(key: string, feature: string): number | undefined {
    const matching = this.matching.peek();
    const place = matching.findIndex(({ name }) => name === feature);
    const last = matching.length - 1;
    const { perPage } = this.viewport;
    const targets: Record<string, number> = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      PageDown: place + perPage,
      PageUp: place - perPage,
      Home: 0,
      End: last,
      Enter: place,
      " ": place,
    };
    const target = targets[key];
    return target === undefined ? undefined : Math.min(Math.max(target, 0), last);
  }
}

/** The first few features, with the open one in place of the last where it ranks below them. */
function firstOf(ranking: readonly RankedFeature[], opened: string): RankedFeature[] {
  const first = ranking.slice(0, FEW_ROWS);
  const below = ranking.slice(FEW_ROWS).find(({ name }) => name === opened);
  return below === undefined ? first : [...first.slice(0, -1), below];
}
