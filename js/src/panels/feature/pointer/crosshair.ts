/** The crosshair of the what-if: it follows the curve of the only selected row, wherever the pointer is. */

import { computed } from "@preact/signals-core";
import { weightText } from "../../../plot/fade.ts";
import { nearestIndex } from "../../../plot/geometry/transforms.ts";
import { placeIn } from "../../../plot/gestures/gestures.ts";
import type { Plot } from "../../../plot/plot.ts";
import { explanation } from "../../../text/glossary.ts";
import { number, signed } from "../../../text/numbers.ts";
import { placeWriterOf } from "../../../text/values.ts";
import { html, setText, svg } from "../../../ui/element.ts";
import { fitMarks, markLayer } from "../../../ui/layers.ts";
import type { View } from "../../../view/view.ts";
import { isBeside } from "../state/clip.ts";
import type { Shown } from "../state/plot_state.ts";

/** Steps of a key from one end of a long grid to the other. */
const KEY_STEPS = 100;
const LONG_STEP = 10;
/** Distance of the text from the rule, and its size. */
const GAP = 10;
const WORDS = { width: 290, height: 28 };

interface Aim {
  plot: Plot;
  line: number;
  /** The place on the grid; one past the last for a missing value. */
  at: number;
}

export class Crosshair {
  readonly #layer = markLayer();
  readonly #words = html("output", { class: "ice-what-if", "data-test": "what-if" });
  readonly layers = [this.#layer, this.#words];
  readonly #drawn = computed(() => {
    const [plot, row] = [this.shown.plot.value, this.view.store.whatIfRow.value];
    const line = plot === null || row === null ? -1 : plot.scene.curves.positions.indexOf(row);
    return plot === null || line === -1 ? null : { plot, line };
  });
  readonly #aim = computed((): Aim | null => {
    const [drawn, place] = [this.#drawn.value, this.view.store.crosshair.value];
    if (drawn === null || place === null) return null;
    const { feature, grid, missing } = drawn.plot.scene.curves;
    if (place.feature !== feature) return null;
    if (!Number.isNaN(place.value)) return { ...drawn, at: nearestIndex(grid, place.value) };
    return missing === null ? null : { ...drawn, at: grid.length };
  });

  constructor(
    private readonly frame: HTMLElement,
    private readonly view: View,
    private readonly shown: Shown,
  ) {
    const { store } = view;
    view.keep(
      () => [this.#aim.value, store.crosshair.value?.stays ?? false, store.decay.value] as const,
      ([aim, stays, decay]) => {
        this.#layer.replaceChildren();
        // A text that follows the pointer is not announced.
        this.#words.setAttribute("aria-live", stays ? "polite" : "off");
        const mark = aim === null ? null : markOf(aim);
        this.#words.hidden = mark === null;
        if (aim === null || mark === null) return;
        fitMarks(this.#layer, aim.plot.size);
        this.#layer.append(mark.node);
        this.#drawWords(aim, mark.x, decay);
      },
    );
  }

  #drawWords(aim: Aim, x: number, decay: number): void {
    const { size, left, right } = aim.plot;
    setText(this.#words, sentenceOf(aim, decay));
    const isRight = x > (left + right) / 2;
    Object.assign(this.#words.style, {
      left: isRight ? "auto" : `${x + GAP}px`,
      right: isRight ? `${size.width - x + GAP}px` : "auto",
      top: `${freeHeight(aim, isRight ? x - GAP - WORDS.width : x + GAP)}px`,
    });
  }

  #moveTo({ scene }: Plot, place: number, stays: boolean): void {
    const { feature, grid } = scene.curves;
    const { store } = this.view;
    store.pointed.value = null;
    store.crosshair.value = { feature, value: grid[place] ?? Number.NaN, stays };
  }

  /** Follows the pointer; false where no single row is selected and drawn. */
  follow(event: MouseEvent): boolean {
    const plot = this.#drawn.peek()?.plot;
    if (plot === undefined) return false;
    const { store, tooltip } = this.view;
    store.pointed.value = null;
    tooltip.hide();
    if (store.picture.peek().state !== "ready") return true;
    const { x } = placeIn(this.frame, event);
    const { grid } = plot.scene.curves;
    this.#moveTo(plot, isBeside(plot, x) ? grid.length : nearestIndex(grid, plot.x.invert(x)), false);
    return true;
  }

  /** Moves along the curve with a key; false where the key or the selection does not do so. */
  press({ key, shiftKey }: KeyboardEvent): boolean {
    const drawn = this.#drawn.peek();
    if (drawn === null || shiftKey) return false;
    const { grid, missing, observed } = drawn.plot.scene.curves;
    const last = missing === null ? grid.length - 1 : grid.length;
    const step = Math.max(1, Math.ceil(grid.length / KEY_STEPS));
    const value = observed[drawn.line]!;
    const place = this.#aim.peek()?.at ?? (Number.isNaN(value) ? last : nearestIndex(grid, value));
    const next = {
      ArrowLeft: place - step,
      ArrowRight: place < grid.length - 1 ? Math.min(place + step, grid.length - 1) : last,
      PageDown: place - LONG_STEP * step,
      PageUp: Math.min(place + LONG_STEP * step, grid.length - 1),
      Home: 0,
      End: grid.length - 1,
    }[key];
    if (next === undefined) return false;
    this.#moveTo(drawn.plot, Math.max(0, next), true);
    return true;
  }

  leave(): void {
    const { crosshair } = this.view.store;
    if (crosshair.peek()?.stays === false) crosshair.value = null;
  }
}

function sentenceOf({ plot: { scene }, line, at }: Aim, decay: number): string {
  const { curves } = scene;
  const { feature, grid, values, offset, predictions, missing, prediction_range: predictionRange } = curves;
  const range = predictionRange[1] - predictionRange[0];
  const value = at < grid.length ? placeWriterOf(curves)(grid[at]!) : "missing";
  const predicted = at < grid.length ? values[line * grid.length + at]! : missing!.values[line]!;
  const change = signed(predicted - predictions[line]!, range);
  const moved = change === "0" ? "no change" : change;
  const weight = at < grid.length ? weightText(curves, line, at, decay) : "";
  const counts = weight === "" ? "" : `, ${explanation("likelihood").name} ${weight}`;
  return `${feature} ${value} → prediction ${number(predicted + offset, range)}, ${moved}${counts}`;
}

/** A height at which text from `start` on covers neither the curve nor the row's prediction. */
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

/** A rule at the value, a dot on the curve, and its distance from the row's prediction. */
function markOf({ plot, line, at }: Aim): { node: SVGElement; x: number; y: number } | null {
  const { scene, x: scale, y: height, left, right, top, bottom, axis, slot } = plot;
  const { grid } = scene.curves;
  const isMissing = at >= grid.length;
  if (isMissing && (slot === null || scene.missing === null)) return null;
  const x = isMissing ? slot!.at : scale(grid[at]!);
  const point = isMissing ? 0 : nearestIndex(scene.x, grid[at]!);
  const y = height(isMissing ? scene.missing!.values[line]! : scene.values[line * scene.x.length + point]!);
  const node = svg("g", { class: "ice-crosshair", "data-test": "crosshair" });
  node.append(svg("line", { class: "ice-crosshair-rule", x1: x, x2: x, y1: top, y2: axis }));
  const predicted = scene.kind === "d-ice" ? Number.NaN : height(scene.own[line]!);
  const isSeen = (at: number) => Number.isFinite(at) && at >= top - 1 && at <= bottom + 1;
  if (isSeen(predicted)) {
    node.append(
      svg("line", { class: "ice-crosshair-own", x1: left, x2: isMissing ? x : right, y1: predicted, y2: predicted }),
    );
    if (isSeen(y)) node.append(svg("line", { class: "ice-crosshair-change", x1: x, x2: x, y1: predicted, y2: y }));
  }
  if (isSeen(y)) node.append(svg("circle", { cx: x, cy: y, r: 5 }));
  return { node, x, y: isSeen(y) ? y : bottom };
}
