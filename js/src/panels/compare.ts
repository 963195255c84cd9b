/** The open feature beside one or two others: plots of one size, on one value axis where their values have one unit. */
import { computed, effect, type ReadonlySignal } from "@preact/signals-core";
import { number } from "../format.ts";
import { nearestLine } from "../geometry/pick.ts";
import { Pace } from "../marks/curves/pace.ts";
import { SmallPicture } from "../marks/curves/picture.ts";
import { fairOrder } from "../marks/curves/plot.ts";
import { sharedRange } from "../marks/curves/range.ts";
import { rowTitle } from "../marks/curves/row.ts";
import { linesOf, manySelected } from "../marks/curves/selected.ts";
import { around, pickable, pointNear, rangeOf, smallScene, tickedPlot } from "../marks/curves/small.ts";
import { featureAxisTitle, valueTitle } from "../marks/curves/titles.ts";
import { html, setText, update } from "../marks/element.ts";
import { followSize } from "../marks/size.ts";
import { Shelf } from "../shelf.ts";
import { loadedOf } from "../store.ts";
import { drawnKind, writerOf } from "../values.ts";
import type { View } from "../view.ts";

/** Features besides the open one. */
const MOST_OTHERS = 2;
/** More lines than this in each would not be told apart at this size. */
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

class Compared {
  readonly picture = new SmallPicture();
  readonly open: HTMLButtonElement;
  readonly remove: HTMLButtonElement;
  readonly message = html("p", { class: "ice-small-message", "data-test": "compared-message" });
  readonly value = html("p", { class: "ice-compared-title", "data-test": "compared-y-title" });
  readonly axis = html("p", { class: "ice-compared-title ice-compared-axis" });
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
      this.value,
      html("div", { class: "ice-small-body" }, this.picture.node, this.message),
      this.axis,
    );
  }
}

export interface ComparePanel {
  /** The control that asks with which feature. */
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
  const choice = html("span", { class: "ice-compare" }, select);
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
    select.disabled = false;
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
  const known = new Map<string, Compared>();
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
  const add = (name: string): Compared => {
    const item = new Compared(name);
    item.open.addEventListener("click", () => store.open(name), options);
    item.remove.addEventListener("click", () => leave(others.peek().filter((other) => other !== name)), options);
    listenOn(item, view);
    known.set(name, item);
    return item;
  };

  let listed = "";
  view.keep(
    () => ({ ranking: store.ranking.value, opened: store.feature.value, others: others.value }),
    ({ ranking, opened, others: already }) => {
      choice.hidden = opened === "";
      select.disabled = already.length >= MOST_OTHERS;
      select.title = select.disabled ? FULL : "Show another feature next to this one";
      const names = ranking.map(({ name }) => name).filter((name) => name !== opened && !already.includes(name));
      const key = JSON.stringify(names);
      if (key !== listed) {
        listed = key;
        const asking = html("option", { value: "" }, "Compare with …");
        select.replaceChildren(asking, ...names.map((name) => html("option", { value: name }, name)));
      }
      select.value = "";
    },
  );
  view.keep(
    () => ({ shown: shown.value, ranking: store.ranking.value }),
    ({ shown: names, ranking }) => {
      plotsNode.hidden = names.length === 0;
      for (const [name, { node }] of known) {
        if (names.includes(name)) continue;
        node.remove();
        known.delete(name);
      }
      for (const [place, name] of names.entries()) {
        const { node, remove } = known.get(name) ?? add(name);
        if (items.children[place] !== node) items.insertBefore(node, items.children[place] ?? null);
        node.classList.toggle("ice-compared-open", place === 0);
        remove.hidden = place === 0;
      }
      shelf.want(names.filter((name) => ranking.some((ranked) => ranked.name === name && ranked.known)));
    },
  );
  view.keep(
    () => store.kind.value === "d-ice",
    (apart) => setText(title, apart ? "Slopes have different units: each plot has its own axis." : "On one value axis"),
  );

  /** The size that all plots have room for. */
  const room = computed(() => {
    const n = Math.max(1, shown.value.length);
    const { width, ratio } = size.value;
    const nColumns = Math.max(1, Math.min(n, Math.floor((width + GAP) / (LEAST_WIDTH + GAP))));
    const each = Math.floor((width - GAP * (nColumns - 1)) / nColumns);
    return { width: each, height: nColumns === n ? HEIGHT : LOW_HEIGHT, ratio };
  });
  /** Painted anew after what this reads has changed. */
  const plots = computed(() => {
    shelf.version.value;
    const kind = store.kind.value;
    const at = shown.value.flatMap((name) => {
      const shelved = shelf.get(name);
      if (shelved.state !== "ready" || drawnKind(kind, shelved.loaded.curves.kind) !== kind) return [];
      const { loaded } = shelved;
      const scene = smallScene(loaded.curves, kind, store.anchor.value, room.value.width, store.sceneOptions.value);
      return [{ name, loaded, scene }];
    });
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
      for (const [name, item] of known) {
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
    const there = [...known.values()].filter(({ picture }) => !picture.node.hidden);
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
      for (const { picture } of known.values()) picture.mark(selection, pointed);
    },
  );
  return { choice, plots: plotsNode, isComparing };
}

/** A row under the pointer is marked wherever it is drawn, and a click selects it. */
function listenOn(item: Compared, view: View): void {
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
        { label: store.outputName.peek(), value: number(curves.predictions[line]! + curves.offset, highest - lowest) },
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
