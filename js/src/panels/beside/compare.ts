/** The open feature next to one or two others: plots of equal size, on one value axis if the units are equal. */

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { html, setText, update } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { nearestLine } from "../../geometry/pick.ts";
import { brushOver } from "../../gestures/brush.ts";
import { gesturesOn, OWN_DRAG, placeIn } from "../../gestures/gestures.ts";
import { featureAxisTitle, valueTitle } from "../../plots/axis_titles.ts";
import { Pace } from "../../plots/frame_budget.ts";
import { fairOrder } from "../../plots/plot.ts";
import { rowTitle } from "../../plots/row_title.ts";
import { linesOf, manySelected } from "../../plots/selected.ts";
import { SmallPicture } from "../../plots/small_picture.ts";
import {
  around,
  pickable,
  pointNear,
  rangeOf,
  type SmallPlot,
  smallScene,
  tickedPlot,
} from "../../plots/small_plot.ts";
import { sharedRange } from "../../plots/value_range.ts";
import { Shelf } from "../../store/curve_queue.ts";
import { loadedOf } from "../../store/store.ts";
import { followSize } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import { explanation, variantsOf } from "../../words/glossary.ts";
import { count, number } from "../../words/numbers.ts";
import { drawnKind, writerOf } from "../../words/values.ts";

/** Features besides the open one. */
const MOST_OTHERS = 2;
/** Maximum number of curves per plot; more could not be distinguished at this size. */
const MOST_LINES = 1000;
/** Of a plot where all fit side by side, and where they are in two rows. */
const HEIGHT = 312;
const LOW_HEIGHT = 208;
const GAP = 16;
const LEAST_WIDTH = 190;
const REACH = 16;
/** What the plots may take of a frame while the slider moves. */
const BUDGET_MS = 8;
/** The slider rests when it has not moved for so long. */
const REST_MS = 120;

const NOTHING = new Uint32Array(0);
const FULL = "Up to three features can be compared. Remove one first.";

/** One of the plots: that of the open feature, or of another one. */
class Compared {
  readonly picture = new SmallPicture();
  readonly open = html("button", { type: "button", class: "ice-compared-name", "data-test": "compared-name" });
  readonly remove = html(
    "button",
    { type: "button", class: "ice-compared-remove", "data-test": "compared-remove" },
    "×",
  );
  readonly message = html("p", { class: "ice-small-message", "data-test": "compared-message" });
  readonly value = html("p", { class: "ice-compared-title", "data-test": "compared-y-title" });
  readonly axis = html("p", { class: "ice-compared-title ice-compared-axis" });
  readonly impact = html("b");
  readonly rank = explained(html("span", {}), explanation("rank"));
  readonly impactName = html("span", {}, "impact");
  readonly facts = html(
    "p",
    { class: "ice-compared-title", "data-test": "compared-facts" },
    html("span", { class: "ice-fact" }, this.impactName, " ", this.impact),
    " · ",
    this.rank,
  );
  /** Lines, and the brush over them; what has the brush keeps the keyboard when that goes. */
  readonly body = html("div", { class: "ice-small-body", tabindex: -1 }, this.picture.node, this.message);
  readonly node = html(
    "div",
    { class: "ice-compared", role: "group", "data-test": "compared" },
    html("div", { class: "ice-compared-head" }, this.open, this.remove),
    this.facts,
    this.value,
    this.body,
    this.axis,
  );
  readonly plot = signal<SmallPlot | null>(null);
  name = "";
  /** The lines that the open feature shows, too; a fair sample in every prefix. */
  order = NOTHING;
  /** The same lines, to be looked up. */
  drawn: ReadonlySet<number> = new Set();
  /** Those of them that are selected, where they are too many for strokes. */
  selected: Uint32Array = NOTHING;

  constructor(readonly isOpen: boolean) {
    this.node.classList.toggle("ice-compared-open", isOpen);
    this.remove.hidden = isOpen;
  }

  show(name: string): void {
    this.name = name;
    update(this.node, { "aria-label": name, "data-feature": name });
    setText(this.open, name);
    hinted(this.open, `Open ${name}.`);
    const label = `Remove ${name} from the comparison`;
    update(this.remove, { "aria-label": label });
    hinted(this.remove, label);
  }
}

export interface ComparePanel {
  /** The menu that selects the compared feature. */
  choice: HTMLElement;
  /** The plots, in the place of the large one. */
  plots: HTMLElement;
  isComparing: ReadonlySignal<boolean>;
}

export function comparePanel(view: View): ComparePanel {
  const { store, aborted } = view;
  const options = { signal: aborted };
  const remembered = store.remembered.of("compared");
  const select = html("select", { class: "ice-select", "aria-label": "Compare with", "data-test": "compare" });
  const choice = html("span", { class: "ice-compare" }, hinted(select, "Show another feature next to this one."));
  const title = html("p", { class: "ice-compare-title", "data-test": "compare-title" });
  const close = html("button", { type: "button", class: "ice-link", "data-test": "compare-close" }, "Close comparison");
  const items = html("div", { class: "ice-compared-items" });
  const plotsNode = html(
    "section",
    { class: "ice-comparison", "aria-label": "Compared features", "data-test": "comparison", hidden: true },
    html("div", { class: "ice-compare-head" }, title, close),
    items,
  );

  /** The features that the open one is compared with: those that still are features, never the open one itself. */
  const others = computed(() => {
    const names = new Set(store.figures.value?.header.features.map(({ name }) => name));
    names.delete(store.feature.value);
    return [...new Set(remembered.value)].filter((name) => names.has(name)).slice(0, MOST_OTHERS);
  });
  const isComparing = computed(() => others.value.length > 0 && store.feature.value !== "");
  const shown = computed(() => (isComparing.value ? [store.feature.value, ...others.value] : []));
  const compareWith = (names: string[]): void => store.remembered.choose("compared", names);
  /** Fewer features, and the keyboard where more can be chosen. */
  const leave = (names: string[]): void => {
    compareWith(names);
    select.focus({ preventScroll: true });
  };

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
  const places = Array.from({ length: 1 + MOST_OTHERS }, (_, place) => new Compared(place === 0));
  const pace = new Pace(BUDGET_MS);
  const size = followSize(items, aborted);
  let timer: ReturnType<typeof setTimeout> | undefined;
  aborted.addEventListener(
    "abort",
    () => {
      clearTimeout(timer);
      shelf.dispose();
    },
    { once: true },
  );

  select.addEventListener(
    "change",
    () => {
      if (select.value !== "") compareWith([...others.peek(), select.value]);
    },
    options,
  );
  close.addEventListener("click", () => leave([]), options);
  // Where a compared feature is opened, the one that was open takes its place.
  let before = store.feature.peek();
  const ended = effect(() => {
    const now = store.feature.value;
    const names = remembered.peek();
    if (now !== before && names.includes(now)) {
      compareWith(names.flatMap((name) => (name !== now ? [name] : before === "" ? [] : [before])));
    }
    before = now;
  });
  aborted.addEventListener("abort", ended, { once: true });
  for (const item of places) {
    item.open.addEventListener("click", () => store.open(item.name), options);
    item.remove.addEventListener("click", () => leave(others.peek().filter((other) => other !== item.name)), options);
    listenOn(item, view);
  }

  let listed = "";
  view.keep(
    () => ({ ranking: store.ranking.value, opened: store.feature.value, others: others.value }),
    ({ ranking, opened, others: already }) => {
      choice.hidden = opened === "";
      const isFull = already.length >= MOST_OTHERS;
      const names = ranking.map(({ name }) => name).filter((name) => name !== opened && !already.includes(name));
      const key = JSON.stringify(isFull ? null : names);
      if (key !== listed) {
        listed = key;
        const asking = html("option", { value: "" }, "Compare with …");
        const choices = names.map((name) => html("option", { value: name }, name));
        select.replaceChildren(asking, ...(isFull ? [html("option", { disabled: true }, FULL)] : choices));
      }
      select.value = "";
    },
  );
  view.keep(
    () => ({ shown: shown.value, ranking: store.ranking.value }),
    ({ shown: names, ranking }) => {
      plotsNode.hidden = names.length === 0;
      for (const [place, item] of places.entries()) {
        const name = names[place];
        if (name === undefined) {
          item.node.remove();
          item.plot.value = null;
          continue;
        }
        item.show(name);
        if (!item.node.isConnected) items.append(item.node);
      }
      shelf.want(names.filter((name) => ranking.some((ranked) => ranked.name === name && ranked.known)));
    },
  );
  view.keep(
    () => store.kind.value === "d-ice",
    (apart) => setText(title, apart ? "Slopes have different units: each plot has its own axis." : "On one value axis"),
  );

  view.keep(
    () => ({ shown: shown.value, ranking: store.ranking.value, reading: store.reading.value }),
    ({ shown: names, ranking, reading }) => {
      for (const [place, name] of names.entries()) {
        const { facts, impact, impactName, rank } = places[place]!;
        const feature = ranking.find((ranked) => ranked.name === name);
        const value = feature === undefined ? Number.NaN : (reading?.get(feature.index, "impact") ?? Number.NaN);
        // An empty line keeps the plots side by side.
        facts.style.visibility = Number.isFinite(value) && feature?.known ? "visible" : "hidden";
        if (feature === undefined || reading === null) continue;
        setText(impact, reading.column(value)(value));
        explained(impactName, explanation("impact", ...variantsOf(feature.kind, reading.figures.header.convention)));
        setText(rank, Number.isFinite(feature.value) ? `rank ${count(feature.rank)} of ${count(ranking.length)}` : "");
      }
    },
  );

  /** The size that all plots have room for. */
  const room = computed(() => {
    const n = Math.max(1, shown.value.length);
    const { width, ratio } = size.value;
    const nColumns = Math.max(1, Math.min(n, Math.floor((width + GAP) / (LEAST_WIDTH + GAP))));
    const each = Math.floor((width - GAP * (nColumns - 1)) / nColumns);
    return { width: each, height: nColumns === n ? HEIGHT : LOW_HEIGHT, ratio };
  });
  /** What each place shows; the same objects while nothing in them changes, as a brush wants it. */
  const scenes = places.map((_, place) => {
    const loaded = computed(() => {
      shelf.version.value;
      const shelved = shelf.get(shown.value[place] ?? "");
      return shelved.state === "ready" ? shelved.loaded : null;
    });
    const curves = computed(() => loaded.value?.curves ?? null);
    const width = computed(() => room.value.width);
    const scene = computed(() => {
      const kind = store.kind.value;
      if (curves.value === null || drawnKind(kind, curves.value.kind) !== kind) return null;
      return smallScene(curves.value, kind, store.anchor.value, width.value, store.sceneOptions.value);
    });
    return { loaded, scene };
  });
  /** Painted anew after what this reads has changed. */
  const plots = computed(() => {
    const kind = store.kind.value;
    const at = scenes.flatMap(({ loaded: { value: loaded }, scene: { value: scene } }) =>
      loaded === null || scene === null ? [] : [{ name: scene.curves.feature, loaded, scene }],
    );
    // Slopes are per unit of each feature, so they share no axis.
    const apart = kind === "d-ice";
    const ranges = at.map(({ scene }) => rangeOf(scene));
    const figures = store.figures.value;
    const isShared = store.remembered.of("shared_y").value && figures !== null;
    const shared = isShared ? sharedRange(figures, kind) : null;
    if (shared !== null) ranges.push(shared);
    const together = ranges.reduce(around, [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    const plotOf = ({ loaded, scene }: (typeof at)[number], leastLabels?: number) => {
      const domain = apart ? rangeOf(scene) : together;
      return tickedPlot(scene, loaded.colors, room.value, view.theme.value, domain, leastLabels);
    };
    // As much room under each axis as the longest labels take, so that one height is one value in all plots.
    const labels = Math.max(...at.map((each) => room.value.height - plotOf(each).axis));
    return new Map(at.map((each) => [each.name, plotOf(each, labels)]));
  });
  view.keep(
    () => ({
      version: shelf.version.value,
      shown: shown.value,
      plots: plots.value,
      ranking: store.ranking.value,
      rows: rows.value,
      width: room.value.width,
      kind: store.kind.value,
      hidden: store.hiddenLevels.value,
      decay: store.decay.value,
      dragging: store.dragging.value,
      many: many.value,
      output: store.figures.value?.header.output_label ?? "",
    }),
    (state) => {
      clearTimeout(timer);
      const drawn = new Set(state.rows);
      for (const [place, name] of state.shown.entries()) {
        const item = places[place]!;
        const plot = state.plots.get(name);
        item.plot.value = plot ?? null;
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
          setText(item.value, "");
          setText(item.axis, "");
          continue;
        }
        const { scene, ticks } = plot;
        const valueText = `↑ ${valueTitle(scene, state.output)}${ticks?.exponent ? ` (${ticks.exponent})` : ""}`;
        setText(item.value, valueText);
        item.value.title = valueText;
        setText(item.axis, scene.onLevels ? featureAxisTitle(scene) : `${featureAxisTitle(scene)} →`);
        if (item.picture.plot !== plot) item.picture.draw(plot);
        item.order = plot.order.filter(
          (line) => drawn.has(scene.curves.positions[line]!) && !state.hidden.has(plot.lines.color[line]!),
        );
        item.drawn = new Set(item.order);
        item.selected = state.many === null ? NOTHING : linesOf({ scene, order: item.order }, state.many);
      }
      paint(state.decay, state.dragging);
      const opened = state.plots.get(store.feature.peek());
      if (opened !== undefined) {
        // What is on the screen, as the large plot tells it.
        const { kind, curves } = opened.scene;
        Object.assign(view.root.dataset, { feature: curves.feature, kind, drawnLines: String(curves.nLines) });
      }
      if (state.dragging) timer = setTimeout(() => view.frames.request(() => paint(state.decay, false)), REST_MS);
    },
  );
  const paint = (decay: number, isMoving: boolean): void => {
    const there = places.filter(({ plot }) => plot.peek() !== null);
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
      for (const { picture, plot } of places) {
        if (plot.peek() !== null) picture.mark(selection, pointed);
      }
    },
  );
  return { choice, plots: plotsNode, isComparing };
}

/** A row under the pointer is marked wherever it is drawn; a click selects it, and a drag selects what it crosses. */
function listenOn(item: Compared, view: View): void {
  const { store, aborted } = view;
  const { body, plot } = item;
  const options = { signal: aborted };
  const brush = brushOver(body, view, plot, (line) => item.drawn.has(line));
  body.append(brush.layer);
  const gestures = gesturesOn(body, view, plot, null, ({ plot: pressed, region, at, event }, held) => {
    const isLine = region === "plot" || region === "beside";
    // One finger scrolls the page, unless it rested first.
    if (!isLine || event.button !== 0 || (event.pointerType === "touch" && !held)) return null;
    return brush.begin(pressed, at, event);
  });
  const lineAt = (event: MouseEvent): number | null => {
    const shown = plot.peek();
    if (shown === null) return null;
    const { ratio } = shown.size;
    const { x, y } = placeIn(body, event);
    const lines = pickable(shown.lines, item.order);
    return nearestLine(lines, (x - shown.left) * ratio, y * ratio, REACH * ratio)?.line ?? null;
  };
  const leave = (): void => {
    store.pointed.value = null;
    view.tooltip.hide();
  };
  body.addEventListener(
    "pointermove",
    (event) => {
      if (gestures.busy || (event.target as Element).closest(`[${OWN_DRAG}]`) !== null) return;
      const [shown, line] = [plot.peek(), lineAt(event)];
      if (shown === null || line === null) return leave();
      const { curves, x, values, base } = shown.scene;
      const write = writerOf(curves);
      const [lowest, highest] = curves.predictionRange;
      const point = pointNear(shown, placeIn(body, event).x);
      store.pointed.value = curves.positions[line]!;
      const rows = [
        { label: curves.feature, value: write(curves.observed[line]!) },
        { label: store.outputName.peek(), value: number(curves.predictions[line]! + curves.offset, highest - lowest) },
        { label: `drawn at ${write(x[point]!)}`, value: number(values[line * x.length + point]! + base) },
      ];
      view.tooltip.show(rowTitle(curves, line), rows, new DOMRect(event.clientX, event.clientY, 0, 0), false);
    },
    options,
  );
  body.addEventListener("pointerleave", leave, options);
  body.addEventListener(
    "click",
    (event) => {
      if (gestures.dragged) return;
      brush.remove();
      // The row that is marked; a finger marks none before it clicks.
      const row = store.pointed.peek() ?? plot.peek()?.scene.curves.positions[lineAt(event) ?? -1];
      if (row !== undefined) store.select(row, event.shiftKey);
    },
    options,
  );
  body.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape") return;
      if (!brush.remove()) store.clearSelection();
      body.focus({ preventScroll: true });
      event.preventDefault();
    },
    options,
  );
}
