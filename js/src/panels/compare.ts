/** Up to three features pinned side by side, on one value axis where their values have one unit, in the kind, colours and decay of the open one. */
import { computed } from "@preact/signals-core";
import { number } from "../format.ts";
import { nearestLine } from "../geometry/pick.ts";
import { Pace } from "../marks/curves/pace.ts";
import { endsWriter, SmallPicture } from "../marks/curves/picture.ts";
import { fairOrder } from "../marks/curves/plot.ts";
import { sharedRange } from "../marks/curves/range.ts";
import { rowTitle } from "../marks/curves/row.ts";
import { linesOf, manySelected } from "../marks/curves/selected.ts";
import { around, pickable, pointNear, rangeOf, smallPlot, smallScene } from "../marks/curves/small.ts";
import { html, setText, update } from "../marks/element.ts";
import { followSize } from "../marks/size.ts";
import { Shelf } from "../shelf.ts";
import { loadedOf } from "../store.ts";
import { drawnKind, writerOf } from "../values.ts";
import type { View } from "../view.ts";

const MOST_PINNED = 3;
/** More lines than this in each would not be told apart at this size. */
const MOST_LINES = 1000;
const HEIGHT = 152;
const GAP = 16;
const LEAST_WIDTH = 160;
const WIDEST = 360;
const REACH = 16;
/** What the strip may take of a frame while the slider moves; the open feature has the rest. */
const BUDGET_MS = 5;
/** The slider rests when it has not moved for so long. */
const REST_MS = 120;

const NOTHING = new Uint32Array(0);

class Pinned {
  readonly picture = new SmallPicture();
  readonly open: HTMLButtonElement;
  readonly remove: HTMLButtonElement;
  readonly message = html("p", { class: "ice-small-message", "data-test": "compared-message" });
  readonly node: HTMLElement;
  /** The lines that the open feature shows, too; a fair sample in every prefix. */
  order = NOTHING;
  /** Those of them that are selected, where they are too many for strokes. */
  selected: Uint32Array = NOTHING;

  constructor(readonly name: string) {
    const title = `Open ${name}`;
    this.open = html(
      "button",
      { type: "button", class: "ice-compared-name", title, "data-test": "compared-name" },
      name,
    );
    const label = `Remove ${name} from the comparison`;
    this.remove = html(
      "button",
      {
        type: "button",
        class: "ice-compared-remove",
        "aria-label": label,
        title: label,
        "data-test": "compared-remove",
      },
      "×",
    );
    this.node = html(
      "div",
      { class: "ice-compared", role: "group", "aria-label": name, "data-test": "compared", "data-feature": name },
      html("div", { class: "ice-compared-head" }, this.open, this.remove),
      html("div", { class: "ice-small-body" }, this.picture.node, this.message),
    );
  }
}

/** The button that pins the open feature, and the strip that shows what is pinned. */
export function comparePanel(view: View): { toggle: HTMLElement; strip: HTMLElement } {
  const { store, aborted } = view;
  const options = { signal: aborted };
  const compared = store.remembered.of("compared");
  const toggle = html(
    "button",
    { type: "button", class: "ice-button ice-compare", "data-test": "compare", title: "Keep this feature in view" },
    "Compare",
  );
  const status = html("p", { class: "ice-compare-status", role: "status", "data-test": "compare-status" });
  const title = html("h3", { class: "ice-compare-title", "data-test": "compare-title" });
  const items = html("div", { class: "ice-compared-items" });
  const strip = html(
    "section",
    { class: "ice-panel ice-comparison", "aria-label": "Compared features", "data-test": "comparison" },
    html("div", { class: "ice-compare-head" }, title, status),
    items,
  );

  /** The rows that the open feature shows, so that each can be followed from plot to plot. */
  const rows = computed((): readonly number[] => {
    const positions = loadedOf(store.picture.value)?.curves.positions;
    if (positions === undefined) return store.selection.value;
    if (positions.length <= MOST_LINES) return Array.from(positions);
    const some = Array.from(fairOrder(positions.length).subarray(0, MOST_LINES), (line) => positions[line]!);
    return [...new Set([...some, ...store.selection.value])];
  });
  const shelf = new Shelf(store, {
    maxLines: () => 1,
    rows: () => rows.value,
    atHand: (feature, wanted) => store.curvesAtHand(feature, wanted),
  });
  const many = computed(() => manySelected(store.selection.value));
  const pinned = new Map<string, Pinned>();
  const pace = new Pace(BUDGET_MS);
  const size = followSize(strip, aborted);
  let timer: ReturnType<typeof setTimeout> | undefined;
  aborted.addEventListener(
    "abort",
    () => {
      clearTimeout(timer);
      shelf.dispose();
    },
    { once: true },
  );

  const pin = (name: string): void => {
    const now = compared.peek();
    const isPinned = now.includes(name);
    const next = isPinned ? now.filter((other) => other !== name) : [...now, name];
    const left = next.slice(0, -MOST_PINNED);
    setText(status, left.length > 0 ? `${left.join(", ")} made room: three fit side by side.` : "");
    store.remembered.choose("compared", next.slice(-MOST_PINNED));
  };
  toggle.addEventListener("click", () => pin(store.feature.peek()), options);

  const add = (name: string): Pinned => {
    const item = new Pinned(name);
    item.open.addEventListener("click", () => store.open(name), options);
    item.remove.addEventListener(
      "click",
      () => {
        pin(name);
        toggle.focus({ preventScroll: true });
      },
      options,
    );
    listenOn(item, view);
    pinned.set(name, item);
    return item;
  };

  /** Those that still are features, at the size that all of them have room for. */
  const shown = computed(() => {
    const names = new Set(store.figures.value?.header.features.map(({ name }) => name));
    return compared.value.filter((name) => names.has(name));
  });
  const width = computed(() => {
    const n = Math.max(1, shown.value.length);
    return Math.min(WIDEST, Math.max(LEAST_WIDTH, Math.floor((size.value.width - GAP * (n - 1)) / n)));
  });

  view.keep(
    () => ({ shown: shown.value, opened: store.feature.value }),
    ({ shown: names, opened }) => {
      strip.hidden = names.length === 0;
      toggle.hidden = opened === "";
      update(toggle, { "aria-pressed": String(names.includes(opened)) });
      for (const [name, { node }] of pinned) {
        if (names.includes(name)) continue;
        node.remove();
        pinned.delete(name);
      }
      for (const name of names) items.append((pinned.get(name) ?? add(name)).node);
      shelf.want(names.filter((name) => store.ranking.peek().some((ranked) => ranked.name === name && ranked.known)));
      for (const { node, name } of pinned.values()) node.classList.toggle("ice-compared-open", name === opened);
    },
  );
  view.keep(
    () => store.kind.value === "d-ice",
    (apart) => setText(title, apart ? "Compared, each on an axis of its own" : "Compared, on one axis"),
  );
  /** Painted anew after what this reads has changed. */
  const plots = computed(() => {
    shelf.version.value;
    const kind = store.kind.value;
    const at = shown.value.flatMap((name) => {
      const shelved = shelf.get(name);
      if (shelved.state !== "ready" || drawnKind(kind, shelved.loaded.curves.kind) !== kind) return [];
      const { loaded } = shelved;
      return [{ name, loaded, scene: smallScene(loaded.curves, kind, store.anchor.value, width.value) }];
    });
    // Slopes are per unit of each feature, so they share no axis.
    const apart = kind === "d-ice";
    const ranges = at.map(({ scene }) => rangeOf(scene));
    const figures = store.figures.value;
    const isShared = store.remembered.of("shared_y").value && figures !== null;
    const shared = isShared ? sharedRange(figures, kind) : null;
    if (shared !== null) ranges.push(shared);
    const together = ranges.reduce(around, [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    const room = { width: width.value, height: HEIGHT, ratio: size.value.ratio };
    return new Map(
      at.map(({ name, loaded, scene }) => {
        const domain = apart ? rangeOf(scene) : together;
        return [name, smallPlot(scene, loaded.colors, room, view.theme.value, domain, endsWriter(domain))];
      }),
    );
  });
  view.keep(
    () => ({
      plots: plots.value,
      ranking: store.ranking.value,
      rows: rows.value,
      width: width.value,
      kind: store.kind.value,
      hidden: store.hiddenLevels.value,
      decay: store.decay.value,
      dragging: store.dragging.value,
      many: many.value,
    }),
    (state) => {
      clearTimeout(timer);
      const drawn = new Set(state.rows);
      for (const [name, item] of pinned) {
        const plot = state.plots.get(name);
        const feature = state.ranking.find((ranked) => ranked.name === name);
        item.node.style.width = `${state.width}px`;
        item.picture.node.hidden = plot === undefined;
        item.message.hidden = plot !== undefined;
        if (plot === undefined) {
          const isKnown = feature?.known ?? false;
          const isDefined = feature === undefined || drawnKind(state.kind, feature.kind) === state.kind;
          const shelved = shelf.get(name);
          update(item.message, { "data-state": shelved.state === "error" && isKnown ? "error" : null });
          const problem = shelved.state === "error" ? shelved.message : "…";
          const undefinedText = "Levels without an order have no slopes.";
          setText(item.message, !isKnown ? "Not computed yet." : isDefined ? problem : undefinedText);
          continue;
        }
        if (item.picture.plot !== plot) item.picture.draw(plot);
        const { curves } = plot.scene;
        item.order = plot.order.filter(
          (line) => drawn.has(curves.positions[line]!) && !state.hidden.has(plot.lines.color[line]!),
        );
        item.selected = state.many === null ? NOTHING : linesOf({ scene: plot.scene, order: item.order }, state.many);
      }
      paint(state.decay, state.dragging);
      if (state.dragging) timer = setTimeout(() => view.frames.request(() => paint(state.decay, false)), REST_MS);
    },
  );
  const paint = (decay: number, isMoving: boolean): void => {
    const there = [...pinned.values()].filter(({ picture }) => !picture.node.hidden);
    for (const { picture, order, selected } of there) {
      const all = order.length + selected.length;
      const share = isMoving ? pace.affordable(all, there.length) / Math.max(1, all) : 1;
      const some = order.subarray(0, Math.ceil(share * order.length));
      const over = selected.subarray(0, Math.ceil(share * selected.length));
      const spent = picture.paint(decay, some, order.length) + picture.paintSelected(decay, over);
      pace.took(spent, some.length + over.length);
    }
  };
  view.keep(
    () => ({ plots: plots.value, selection: store.selection.value, pointed: store.pointed.value }),
    ({ selection, pointed }) => {
      for (const { picture } of pinned.values()) picture.mark(selection, pointed);
    },
  );
  return { toggle, strip };
}

/** A row under the pointer is marked wherever it is drawn, and a click selects it. */
function listenOn(item: Pinned, view: View): void {
  const { store, aborted } = view;
  const { frame } = item.picture;
  const options = { signal: aborted };
  const lineAt = (event: MouseEvent): number | null => {
    const { plot } = item.picture;
    if (plot === null) return null;
    const box = frame.getBoundingClientRect();
    const { ratio } = plot.size;
    const [x, y] = [(event.clientX - box.left - plot.left) * ratio, (event.clientY - box.top) * ratio];
    return nearestLine(pickable(plot.lines, item.order), x, y, REACH * ratio)?.line ?? null;
  };
  const leave = (): void => {
    store.pointed.value = null;
    view.tooltip.hide();
  };
  frame.addEventListener(
    "pointermove",
    (event) => {
      const { plot } = item.picture;
      const line = lineAt(event);
      if (plot === null || line === null) return leave();
      const { curves, x, values, base } = plot.scene;
      const write = writerOf(curves);
      const [lowest, highest] = curves.predictionRange;
      const point = pointNear(plot, event.clientX - frame.getBoundingClientRect().left);
      store.pointed.value = curves.positions[line]!;
      const rows = [
        { label: curves.feature, value: write(curves.observed[line]!) },
        { label: "prediction", value: number(curves.predictions[line]! + curves.offset, highest - lowest) },
        { label: `drawn at ${write(x[point]!)}`, value: number(values[line * x.length + point]! + base) },
      ];
      view.tooltip.show(rowTitle(curves, line), rows, new DOMRect(event.clientX, event.clientY, 0, 0), false);
    },
    options,
  );
  frame.addEventListener("pointerleave", leave, options);
  frame.addEventListener(
    "click",
    (event) => {
      // The row that is marked; a finger marks none before it clicks.
      const row = store.pointed.peek() ?? item.picture.plot?.scene.curves.positions[lineAt(event) ?? -1];
      if (row !== undefined) store.select(row, event.shiftKey);
    },
    options,
  );
}
