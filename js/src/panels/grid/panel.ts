/** All features in small, in the order of the ranking. Only cards in view exist, and only theirs are the curves asked for. */
import { computed, signal } from "@preact/signals-core";
import { max } from "d3-array";
import { columnFormat, count, plural } from "../../format.ts";
import { Pace } from "../../marks/curves/pace.ts";
import { html, setText, update } from "../../marks/element.ts";
import { followSize } from "../../marks/size.ts";
import { RANK_LABELS } from "../../metrics.ts";
import type { RankedFeature } from "../../ranking.ts";
import { Shelf } from "../../shelf.ts";
import { drawnKind } from "../../values.ts";
import type { View } from "../../view.ts";
import { Card } from "./card.ts";
import { colorKey } from "./key.ts";
import { Pictures } from "./pictures.ts";
import { CARD_GAP, CARD_HEIGHT, CARD_INSET, placeAfter, placesInView, placesOf } from "./places.ts";

/** Lines of a card, and selected rows that are sure to be among them. */
const MOST_LINES = 200;
const MOST_SELECTED = 20;
const LEAST_WIDTH = 80;
/** How far from the view of the page a card is near it. */
const NEAR = "160px 0px";
/** What all cards may take of a frame while the slider moves. */
const BUDGET_MS = 9;
/** What painting may take of a frame once the slider rests; the other cards follow in the next one. */
const PAINT_MS = 8;
/** The slider rests when it has not moved for so long. */
const REST_MS = 120;

/** `toFeature` is called when a card is opened. */
export function gridPanel(view: View, controls: HTMLElement, toFeature: () => void): HTMLElement {
  const { store, aborted } = view;
  const options = { signal: aborted };
  const shelf = new Shelf(store, {
    maxLines: () => MOST_LINES,
    rows: () => store.selection.value.slice(0, MOST_SELECTED),
  });
  const sharedY = html(
    "button",
    { type: "button", class: "ice-button", "data-test": "grid-shared-y", title: "One value axis for all features" },
    "Same y axis",
  );
  const about = html("p", { class: "ice-facts", "data-test": "grid-about" });
  const list = html("div", { class: "ice-grid", role: "listbox", "data-test": "grid" });
  const scroll = html("div", { class: "ice-grid-scroll", "data-test": "grid-scroll" }, list);
  const empty = html("p", { class: "ice-empty" });
  const panel = html(
    "section",
    { class: "ice-panel ice-all", "aria-label": "All features in small", "data-test": "all-features" },
    html("header", { class: "ice-head" }, html("h3", { class: "ice-title" }, "All features"), about),
    html("div", { class: "ice-grid-controls" }, controls, sharedY),
    colorKey(view, shelf),
    scroll,
    empty,
  );

  const cards = new Map<string, Card>();
  const inView = new Set<string>();
  const pictures = new Pictures();
  const pace = new Pace(BUDGET_MS);
  const size = followSize(scroll, aborted);
  const scrollTop = signal(0);
  const active = signal<string | null>(null);
  let order: readonly RankedFeature[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let revealed = "";

  /** While the slider moves, cards stay where they are: only what they show follows it. */
  let settled: RankedFeature[] = [];
  const placed = computed(() => {
    if (!store.dragging.value || settled.length === 0) settled = store.ranking.value;
    return settled;
  });
  const places = computed(() => placesOf(size.value.width, placed.value.length));
  const range = computed(() => placesInView(places.value, placed.value.length, scrollTop.value, size.value.height));
  const from = computed(() => range.value[0]);
  const to = computed(() => range.value[1]);

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

  /** Curves of the cards in view come first, then those just beyond. */
  const ask = (): void => {
    const there = order.filter(({ name, known, kind }) => cards.has(name) && known && hasPicture(kind));
    const names = there.map(({ name }) => name);
    const near = inView.size === 0 ? [] : names.filter((name) => !inView.has(name));
    shelf.want([...names.filter((name) => inView.has(name)), ...near]);
  };
  const hasPicture = (kind: RankedFeature["kind"]): boolean => drawnKind(store.kind.peek(), kind) === store.kind.peek();

  const removeBeyond = (names: ReadonlySet<string>): void => {
    for (const [name, card] of cards) {
      if (names.has(name)) continue;
      observer.unobserve(card.node);
      inView.delete(name);
      card.node.remove();
      cards.delete(name);
    }
  };
  const cardOf = (name: string): Card => {
    const known = cards.get(name);
    if (known !== undefined) return known;
    const card = new Card(name);
    cards.set(name, card);
    list.append(card.node);
    observer.observe(card.node);
    return card;
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
      rankBy: store.rankBy.value,
      opened: store.feature.value,
      active: active.value,
      computing: store.status.value.label,
      version: shelf.version.value,
      look: {
        kind: store.kind.value,
        anchor: store.anchor.value,
        theme: view.theme.value,
        ratio: size.value.ratio,
        shared: store.remembered.of("shared_y").value,
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
      update(sharedY, { "aria-pressed": String(look.shared) });
      list.style.height = `${state.places.height}px`;
      scroll.hidden = order.length === 0;
      setText(empty, order.length === 0 ? "No features to show." : "");
      empty.hidden = order.length > 0;
      if (state.places.cardWidth < LEAST_WIDTH) return;

      const shown = [...order.entries()].slice(state.from, state.to);
      const reachable = state.active ?? (now.has(opened) ? opened : order[0]?.name);
      const place = order.findIndex(({ name }) => name === reachable);
      // The card with the focus outlives the scrolling away of its row.
      if (place !== -1 && (place < state.from || place >= state.to)) shown.push([place, order[place]!]);
      removeBeyond(new Set(shown.map(([, { name }]) => name)));
      const write = columnFormat(max(order, ({ value }) => value) ?? 0);
      for (const [at, feature] of shown) {
        const row = Math.floor(at / state.places.columns);
        const figure = feature.known ? write(feature.value) : "";
        const message = messageOf(feature);
        cardOf(feature.name).place({
          place: at,
          of: order.length,
          figure,
          x: (at % state.places.columns) * (state.places.cardWidth + CARD_GAP),
          y: row * state.places.pitch,
          width: state.places.cardWidth,
          isOpen: feature.name === opened,
          isReachable: feature.name === reachable,
          description: `${feature.name}, ${RANK_LABELS[rankBy]} ${figure}, rank ${at + 1} of ${plural(order.length, "feature")}. ${message}`,
          message,
        });
      }
      pictures.draw(cards, shelf, look, state.places.cardWidth - CARD_INSET);
      ask();
      if (opened !== revealed) {
        revealed = opened;
        reveal(order.findIndex(({ name }) => name === opened));
      }
    },
  );

  /** Paints what is not painted as it should be, within a frame's time. */
  const paint = (): void => {
    const decay = store.decay.peek();
    const hidden = store.hiddenLevels.peek();
    const start = performance.now();
    let spent = 0;
    for (const card of cards.values()) {
      if (!pictures.has(card) || pictures.isPainted(card, decay, hidden)) continue;
      if (spent > PAINT_MS) {
        view.frames.request(paint);
        return;
      }
      const lines = pictures.paint(card, decay, hidden, Number.POSITIVE_INFINITY);
      pace.took(performance.now() - start - spent, lines);
      spent = performance.now() - start;
    }
  };
  view.keep(
    () => ({
      decay: store.decay.value,
      hidden: store.hiddenLevels.value,
      dragging: store.dragging.value,
      drawn: pictures.version.value,
    }),
    ({ decay, hidden, dragging }) => {
      clearTimeout(timer);
      if (!dragging) return paint();
      const there = [...cards.values()].filter((card) => pictures.has(card) && inView.has(card.name));
      const most = pace.affordable(MOST_LINES, there.length);
      const start = performance.now();
      let lines = 0;
      for (const card of there) lines += pictures.paint(card, decay, hidden, most);
      const spent = performance.now() - start;
      pace.took(spent, lines);
      panel.dataset.frameMs = spent.toFixed(1);
      timer = setTimeout(() => view.frames.request(paint), REST_MS);
    },
  );
  view.keep(
    () => ({ selection: store.selection.value, drawn: pictures.version.value }),
    ({ selection }) => {
      for (const card of cards.values()) card.picture.mark(selection.slice(0, MOST_SELECTED), null);
    },
  );

  const reveal = (place: number): void => {
    if (place === -1) return;
    const { columns, pitch } = places.peek();
    const top = Math.floor(place / columns) * pitch;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + CARD_HEIGHT > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = top + CARD_HEIGHT - scroll.clientHeight;
  };
  const open = (name: string): void => {
    store.open(name);
    toFeature();
  };
  const nameAt = (event: Event): string | undefined =>
    (event.target as Element).closest<HTMLElement>("[data-feature]")?.dataset.feature;

  sharedY.addEventListener(
    "click",
    () => store.remembered.choose("shared_y", !store.remembered.of("shared_y").peek()),
    options,
  );
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
      // The card may only exist from the next frame on.
      view.frames.request(() => cards.get(order[next]!.name)?.node.focus({ preventScroll: true }));
    },
    options,
  );
  return panel;
}

function aboutOf(n: number, nKnown: number, metric: string): string {
  const so = nKnown < n ? `${count(nKnown)} of ${plural(n, "feature")} so far` : plural(n, "feature");
  return `${so} by ${metric}, at most ${MOST_LINES} lines each`;
}
