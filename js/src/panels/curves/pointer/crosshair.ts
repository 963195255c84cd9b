/** The crosshair of the what-if: it follows the curve of the one row that is selected, whatever is under the pointer. */
import { computed } from "@preact/signals-core";
import { html, setText, svg, update } from "../../../elements/element.ts";
import { nearestIndex } from "../../../geometry/transforms.ts";
import { weightText } from "../../../plots/fade.ts";
import type { Plot } from "../../../plots/plot.ts";
import type { View } from "../../../view/view.ts";
import { explanation } from "../../../words/glossary.ts";
import { number, signed } from "../../../words/numbers.ts";
import { placeWriterOf } from "../../../words/values.ts";
import type { Shown } from "../state/plot_state.ts";
import { isBeside } from "../state/zoomed_plot.ts";

/** Steps of a key from one end of a long grid to the other. */
const KEY_STEPS = 100;
const LONG_STEP = 10;
/** The words: how far they are from the rule, and the room that they take. */
const GAP = 10;
const WORDS = { width: 290, height: 28 };

export interface Crosshair {
  readonly layers: Element[];
  /** Follows the pointer; false where no single row is selected and drawn. */
  follow(event: MouseEvent): boolean;
  /** Moves along the curve with a key; false where the key or the selection does not do so. */
  key(event: KeyboardEvent): boolean;
  leave(): void;
}

interface Aim {
  plot: Plot;
  line: number;
  /** The position on the grid; one past the last for a missing value. */
  at: number;
}

export function crosshairOver(frame: HTMLElement, view: View, { plot }: Shown): Crosshair {
  const { store } = view;
  const drawn = computed(() => {
    const [shown, row] = [plot.value, store.whatIfRow.value];
    const line = shown === null || row === null ? -1 : shown.scene.curves.positions.indexOf(row);
    return shown === null || line === -1 ? null : { plot: shown, line };
  });
  const aim = computed((): Aim | null => {
    const [of, place] = [drawn.value, store.crosshair.value];
    if (of === null || place === null || place.feature !== of.plot.scene.curves.feature) return null;
    const { grid, missing } = of.plot.scene.curves;
    if (!Number.isNaN(place.value)) return { ...of, at: nearestIndex(grid, place.value) };
    return missing === null ? null : { ...of, at: grid.length };
  });
  const moveTo = ({ scene }: Plot, at: number, stays: boolean): void => {
    store.crosshair.value = { feature: scene.curves.feature, value: scene.curves.grid[at] ?? Number.NaN, stays };
  };

  const layer = svg("svg", { class: "ice-layer", "aria-hidden": "true" });
  const words = html("output", { class: "ice-what-if", "data-test": "what-if" });
  view.keep(
    () => ({ aim: aim.value, stays: store.crosshair.value?.stays ?? false, decay: store.decay.value }),
    ({ aim: aimed, stays, decay }) => {
      layer.replaceChildren();
      // What follows the pointer would never stop talking.
      words.setAttribute("aria-live", stays ? "polite" : "off");
      const mark = aimed === null ? null : markOf(aimed);
      words.hidden = mark === null;
      if (aimed === null || mark === null) return;
      const { size, left, right } = aimed.plot;
      update(layer, { viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height });
      layer.append(mark.node);
      setText(words, sentenceOf(aimed, decay));
      const isRight = mark.x > (left + right) / 2;
      words.style.left = isRight ? "auto" : `${mark.x + GAP}px`;
      words.style.right = isRight ? `${size.width - mark.x + GAP}px` : "auto";
      words.style.top = `${freeHeight(aimed, isRight ? mark.x - GAP - WORDS.width : mark.x + GAP)}px`;
    },
  );

  return {
    layers: [layer, words],
    follow(event) {
      const of = drawn.peek();
      if (of === null) return false;
      store.pointed.value = null;
      view.tooltip.hide();
      if (store.picture.peek().state !== "ready") return true;
      const x = event.clientX - frame.getBoundingClientRect().left;
      const { grid } = of.plot.scene.curves;
      moveTo(of.plot, isBeside(of.plot, x) ? grid.length : nearestIndex(grid, of.plot.x.invert(x)), false);
      return true;
    },
    key({ key, shiftKey }) {
      const of = drawn.peek();
      if (of === null || shiftKey) return false;
      const { grid, missing, observed } = of.plot.scene.curves;
      const last = missing === null ? grid.length - 1 : grid.length;
      const step = Math.max(1, Math.ceil(grid.length / KEY_STEPS));
      const own = observed[of.line]!;
      const now = aim.peek()?.at ?? (Number.isNaN(own) ? last : nearestIndex(grid, own));
      const next = {
        ArrowLeft: now - step,
        ArrowRight: now < grid.length - 1 ? Math.min(now + step, grid.length - 1) : last,
        PageDown: now - LONG_STEP * step,
        PageUp: Math.min(now + LONG_STEP * step, grid.length - 1),
        Home: 0,
        End: grid.length - 1,
      }[key];
      if (next === undefined) return false;
      store.pointed.value = null;
      moveTo(of.plot, Math.max(0, next), true);
      return true;
    },
    leave() {
      if (store.crosshair.peek()?.stays === false) store.crosshair.value = null;
    },
  };
}

function sentenceOf({ plot: { scene }, line, at }: Aim, decay: number): string {
  const { curves } = scene;
  const { feature, grid, values, offset, predictions, missing, predictionRange } = curves;
  const range = predictionRange[1] - predictionRange[0];
  const value = at < grid.length ? placeWriterOf(curves)(grid[at]!) : "missing";
  const predicted = at < grid.length ? values[line * grid.length + at]! : missing!.values[line]!;
  const change = signed(predicted - predictions[line]!, range);
  const moved = change === "0" ? "no change" : change;
  const weight = at < grid.length ? weightText(curves, line, at, decay) : "";
  const counts = weight === "" ? "" : `, ${explanation("likelihood").name} ${weight}`;
  return `${feature} ${value} → prediction ${number(predicted + offset, range)}, ${moved}${counts}`;
}

/** Where words from `start` on cover neither the curve nor the row's own height: near the top, or near the bottom. */
function freeHeight({ plot, line }: Aim, start: number): number {
  const { scene, x, y, top, bottom } = plot;
  const n = scene.x.length;
  const over = [...scene.x.keys()].filter((point) => {
    const at = x(scene.x[point]!);
    return at >= start - GAP && at <= start + WORDS.width + GAP;
  });
  const heights = [...over.map((point) => y(scene.values[line * n + point]!)), y(scene.own[line]!)];
  const places = [top + 4, bottom - WORDS.height, top + (bottom - top) / 3, top + ((bottom - top) * 2) / 3];
  const isFree = (place: number) => heights.every((height) => height < place - 4 || height > place + WORDS.height);
  return places.find(isFree) ?? places[0]!;
}

/** A rule at the value, a dot on the curve, and how far that is from the height of the row's own prediction. */
function markOf({ plot, line, at }: Aim): { node: SVGElement; x: number; y: number } | null {
  const { scene, x: scale, y: height, left, right, top, bottom, axis, slot } = plot;
  const { grid } = scene.curves;
  const isMissing = at >= grid.length;
  if (isMissing && (slot === null || scene.missing === null)) return null;
  const x = isMissing ? slot!.at : scale(grid[at]!);
  const point = isMissing ? 0 : nearestIndex(scene.x, grid[at]!);
  const y = height(isMissing ? scene.missing!.values[line]! : scene.values[line * scene.x.length + point]!);
  if (!isMissing && (x < left - 1 || x > right + 1)) return null;
  const node = svg("g", { class: "ice-crosshair", "data-test": "crosshair" });
  node.append(svg("line", { class: "ice-crosshair-rule", x1: x, x2: x, y1: top, y2: axis }));
  const own = scene.kind === "d-ice" ? Number.NaN : height(scene.own[line]!);
  const isSeen = (at: number) => Number.isFinite(at) && at >= top - 1 && at <= bottom + 1;
  if (isSeen(own)) {
    node.append(svg("line", { class: "ice-crosshair-own", x1: left, x2: isMissing ? x : right, y1: own, y2: own }));
    if (isSeen(y)) node.append(svg("line", { class: "ice-crosshair-change", x1: x, x2: x, y1: own, y2: y }));
  }
  if (isSeen(y)) node.append(svg("circle", { cx: x, cy: y, r: 5 }));
  return { node, x, y: isSeen(y) ? y : bottom };
}
