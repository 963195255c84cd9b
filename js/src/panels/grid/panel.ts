/** All features in small, in the order of the ranking. Only tiles in view exist, and only theirs are the curves asked for. */
import { computed, signal } from "@preact/signals-core";
import { max } from "d3-array";
import { count, plural } from "../../format.ts";
import { Pace } from "../../marks/curves/pace.ts";
import { sharedRange } from "../../marks/curves/range.ts";
import { manySelected } from "../../marks/curves/selected.ts";
import { html, setText, update } from "../../marks/element.ts";
import { followSize } from "../../marks/size.ts";
import { RANK_LABELS } from "../../metrics.ts";
import type { RankedFeature } from "../../ranking.ts";
import { Shelf } from "../../shelf.ts";
import { drawnKind } from "../../values.ts";
import type { View } from "../../view.ts";
import { colorKey } from "./key.ts";
import { Pictures } from "./pictures.ts";
import { placeAfter, placesInView, placesOf, TILE_HEIGHT, TILE_INSET } from "./places.ts";
import { Tile } from "./tile.ts";

/** Lines of a tile, and selected rows that are sure to be among them. */
const MOST_LINES = 200;
const MOST_SELECTED = 20;
const LEAST_WIDTH = 80;
/** Room for the outline of the tile with the focus, and for the scroll bar beyond the edge of the panel. */
const PADDING = 4;
const MARGIN = 12;
/** How far from the view of the page a tile is near it. */
const NEAR = "160px 0px";
/** What all tiles may take of a frame while the slider moves. */
const BUDGET_MS = 9;
/** What painting may take of a frame once the slider rests; the other tiles follow in the next one. */
const PAINT_MS = 8;
/** The slider rests when it has not moved for so long. */
const REST_MS = 120;

/** What stands over the tiles, made by other panels. */
export interface Above {
  controls: HTMLElement;
  /** Lies over the ramp of colours and chooses a part of it. */
  range: HTMLElement;
}

/** `toFeature` is called when a tile is opened. */
export function gridPanel(view: View, { controls, range }: Above, toFeature: () => void): HTMLElement {
  const { store, aborted } = view;
  const options = { signal: aborted };
  const shelf = new Shelf(store, {
    maxLines: () => MOST_LINES,
    rows: () => store.selection.value.slice(0, MOST_SELECTED),
  });
  const about = html("p", { class: "ice-facts", "data-test": "grid-about" });
  const list = html("div", { class: "ice-grid", role: "listbox", "data-test": "grid" });
  const scroll = html("div", { class: "ice-grid-scroll", "data-test": "grid-scroll" }, list);
  const empty = html("p", { class: "ice-empty" });
  const panel = html(
    "section",
    { class: "ice-panel", "aria-label": "All features in small", "data-test": "all-features" },
    html("header", { class: "ice-head" }, html("h3", { class: "ice-title" }, "All features"), about),
    controls,
    colorKey(view, shelf, range),
    scroll,
    empty,
  );

  const tiles = new Map<string, Tile>();
  const inView = new Set<string>();
  const pictures = new Pictures();
  const pace = new Pace(BUDGET_MS);
  const size = followSize(scroll, aborted);
  const scrollTop = signal(0);
  const active = signal<string | null>(null);
  let order: readonly RankedFeature[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let revealed = "";

  /** While the slider moves, tiles stay where they are: only what they show follows it. */
  let settled: RankedFeature[] = [];
  const placed = computed(() => {
    if (!store.dragging.value || settled.length === 0) settled = store.ranking.value;
    return settled;
  });
  const places = computed(() => placesOf(size.value.width - 2 * PADDING, placed.value.length));
  const there = computed(() => placesInView(places.value, placed.value.length, scrollTop.value, size.value.height));
  const from = computed(() => there.value[0]);
  const to = computed(() => there.value[1]);

  const shared = computed(() => {
    const figures = store.figures.value;
    const isWanted = store.remembered.of("shared_y").value && figures !== null;
    return isWanted ? sharedRange(figures, store.kind.value) : null;
  });
  const many = computed(() => manySelected(store.selection.value));

  view.keep(
    () => size.value.width,
    () => {
      const bar = scroll.offsetWidth - scroll.clientWidth;
      scroll.style.marginRight = `${-Math.min(MARGIN, PADDING + bar)}px`;
    },
  );

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const name = (target as HTMLElement).dataset.feature ?? "";
        if (isIntersecting) inView.add(name);
        else inView.delete(name);
      }
      ask();
    },
    { rootMargin: NEAR },
  );
  aborted.addEventListener(
    "abort",
    () => {
      clearTimeout(timer);
      observer.disconnect();
      shelf.dispose();
    },
    { once: true },
  );

  /** Curves of the tiles in view come first, then those just beyond. */
  const ask = (): void => {
    const asked = order.filter(({ name, known, kind }) => tiles.has(name) && known && hasPicture(kind));
    const names = asked.map(({ name }) => name);
    const near = inView.size === 0 ? [] : names.filter((name) => !inView.has(name));
    shelf.want([...names.filter((name) => inView.has(name)), ...near]);
  };
  const hasPicture = (kind: RankedFeature["kind"]): boolean => drawnKind(store.kind.peek(), kind) === store.kind.peek();

  const removeBeyond = (names: ReadonlySet<string>): void => {
    for (const [name, tile] of tiles) {
      if (names.has(name)) continue;
      observer.unobserve(tile.node);
      inView.delete(name);
      tile.node.remove();
      tiles.delete(name);
    }
  };
  const tileOf = (name: string): Tile => {
    const known = tiles.get(name);
    if (known !== undefined) return known;
    const tile = new Tile(name, store.partings.peek().get(name));
    tiles.set(name, tile);
    list.append(tile.node);
    observer.observe(tile.node);
    return tile;
  };
  const messageOf = ({ name, known, kind }: RankedFeature): string => {
    if (!known) return store.status.peek().label === name ? "Computing …" : "Not computed yet.";
    if (!hasPicture(kind)) return "Levels without an order have no slopes.";
    const shelved = shelf.get(name);
    return shelved.state === "error" ? shelved.message : shelved.state === "waiting" ? "…" : "";
  };

  view.keep(
    () => ({
      ranking: store.ranking.value,
      placed: placed.value,
      places: places.value,
      from: from.value,
      to: to.value,
      reading: store.reading.value,
      rankBy: store.rankBy.value,
      opened: store.feature.value,
      active: active.value,
      computing: store.status.value.label,
      version: shelf.version.value,
      look: {
        kind: store.kind.value,
        anchor: store.anchor.value,
        options: store.sceneOptions.value,
        theme: view.theme.value,
        ratio: size.value.ratio,
        shared: shared.value,
        explained: store.explained.value,
      },
    }),
    (state) => {
      const { ranking, rankBy, opened, look } = state;
      const now = new Map(ranking.map((feature) => [feature.name, feature]));
      order = state.placed.flatMap(({ name }) => now.get(name) ?? []);
      const nKnown = order.filter(({ known }) => known).length;
      setText(about, aboutOf(order.length, nKnown, RANK_LABELS[rankBy]));
      update(list, { "aria-label": `All features by ${RANK_LABELS[rankBy]}` });
      list.style.height = `${state.places.height}px`;
      scroll.hidden = order.length === 0;
      setText(empty, order.length === 0 ? "No features to show." : "");
      empty.hidden = order.length > 0;
      if (state.places.tileWidth < LEAST_WIDTH) return;

      const shown = [...order.entries()].slice(state.from, state.to);
      const reachable = state.active ?? (now.has(opened) ? opened : order[0]?.name);
      const place = order.findIndex(({ name }) => name === reachable);
      // The tile with the focus outlives the scrolling away of its row.
      if (place !== -1 && (place < state.from || place >= state.to)) shown.push([place, order[place]!]);
      removeBeyond(new Set(shown.map(([, { name }]) => name)));
      const write = state.reading?.column(max(order, ({ value }) => value) ?? 0) ?? String;
      for (const [at, feature] of shown) {
        const row = Math.floor(at / state.places.columns);
        const figure = feature.known ? write(feature.value) : "";
        const message = messageOf(feature);
        tileOf(feature.name).place({
          place: at,
          of: order.length,
          figure,
          x: Math.round((at % state.places.columns) * state.places.step),
          y: row * state.places.pitch,
          width: state.places.tileWidth,
          isOpen: feature.name === opened,
          isReachable: feature.name === reachable,
          metric: RANK_LABELS[rankBy],
          message,
          hasFailed: shelf.get(feature.name).state === "error",
        });
      }
      pictures.draw(tiles, shelf, look, state.places.tileWidth - TILE_INSET);
      ask();
      if (opened !== revealed) {
        revealed = opened;
        reveal(order.findIndex(({ name }) => name === opened));
      }
    },
  );

  /** Paints what is not painted as it should be, within a frame's time. */
  const paint = (): void => {
    const painting = { decay: store.decay.peek(), hidden: store.hiddenLevels.peek(), many: many.peek() };
    const start = performance.now();
    let spent = 0;
    for (const tile of tiles.values()) {
      if (!pictures.has(tile) || pictures.isPainted(tile, painting)) continue;
      if (spent > PAINT_MS) {
        view.frames.request(paint);
        return;
      }
      const lines = pictures.paint(tile, painting, Number.POSITIVE_INFINITY);
      pace.took(performance.now() - start - spent, lines);
      spent = performance.now() - start;
    }
  };
  view.keep(
    () => ({
      decay: store.decay.value,
      hidden: store.hiddenLevels.value,
      many: many.value,
      dragging: store.dragging.value,
      drawn: pictures.version.value,
    }),
    ({ dragging, ...painting }) => {
      clearTimeout(timer);
      if (!dragging) return paint();
      const shown = [...tiles.values()].filter((tile) => pictures.has(tile) && inView.has(tile.name));
      const most = pace.affordable(MOST_LINES, shown.length);
      const start = performance.now();
      let lines = 0;
      for (const tile of shown) lines += pictures.paint(tile, painting, most);
      const spent = performance.now() - start;
      pace.took(spent, lines);
      panel.dataset.frameMs = spent.toFixed(1);
      timer = setTimeout(() => view.frames.request(paint), REST_MS);
    },
  );
  view.keep(
    () => ({ selection: store.selection.value, drawn: pictures.version.value }),
    ({ selection }) => {
      for (const tile of tiles.values()) tile.picture.mark(selection, null);
    },
  );

  const reveal = (place: number): void => {
    if (place === -1) return;
    const { columns, pitch } = places.peek();
    const top = Math.floor(place / columns) * pitch;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else {
      const lowest = top + TILE_HEIGHT + 2 * PADDING - scroll.clientHeight;
      if (lowest > scroll.scrollTop) scroll.scrollTop = lowest;
    }
  };
  const open = (name: string): void => {
    store.open(name);
    toFeature();
  };
  const nameAt = (event: Event): string | undefined =>
    (event.target as Element).closest<HTMLElement>("[data-feature]")?.dataset.feature;

  scroll.addEventListener(
    "scroll",
    () => {
      scrollTop.value = scroll.scrollTop;
    },
    options,
  );
  list.addEventListener(
    "click",
    (event) => {
      const name = nameAt(event);
      if (name !== undefined) open(name);
    },
    options,
  );
  list.addEventListener(
    "keydown",
    (event) => {
      const name = nameAt(event);
      if (name === undefined) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        return open(name);
      }
      const place = order.findIndex((feature) => feature.name === name);
      const next = placeAfter(event.key, place, places.peek().columns, order.length);
      if (next === null) return;
      event.preventDefault();
      active.value = order[next]!.name;
      reveal(next);
      // The tile may only exist from the next frame on.
      view.frames.request(() => tiles.get(order[next]!.name)?.node.focus({ preventScroll: true }));
    },
    options,
  );
  return panel;
}

function aboutOf(n: number, nKnown: number, metric: string): string {
  const so = nKnown < n ? `${count(nKnown)} of ${plural(n, "feature")} so far` : plural(n, "feature");
  return `${so} by ${metric}, at most ${MOST_LINES} lines each`;
}
