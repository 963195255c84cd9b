/** A part of the colour ramp, chosen by dragging over it or by keys: lines of other values are hidden. */

import type { ReadonlySignal } from "@preact/signals-core";
import { html, update } from "../../elements/element.ts";
import { hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { type Drag, followDrag } from "../../gestures/gestures.ts";
import { rampPlace } from "../../store/filters.ts";
import type { Loaded } from "../../store/store.ts";
import type { View } from "../../view/view.ts";
import type { ContinuousColors } from "../../wire/protocol.ts";
import { rampWriter } from "../../words/values.ts";

type Range = [number, number];

/** Steps of the keys, as shares of the ramp; a drag shorter than one shows all. */
const STEP = 0.05;
const WHOLE: Range = [0, 1];

const clamped = (place: number): number => Math.min(1, Math.max(0, place));

export function rampRange(view: View, loaded: ReadonlySignal<Loaded | null>): HTMLElement {
  return new RampRange(view, loaded).node;
}

class RampRange {
  readonly #thumbs = ["Lowest value shown", "Highest value shown"].map((label, end) =>
    html("i", {
      class: "ice-ramp-thumb",
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      "data-test": end === 0 ? "ramp-from" : "ramp-to",
    }),
  );
  readonly #covers = [html("i", { class: "ice-ramp-cover" }), html("i", { class: "ice-ramp-cover" })];
  readonly node = html(
    "span",
    { class: "ice-ramp-range", "data-test": "ramp-range" },
    ...this.#covers,
    ...this.#thumbs,
  );

  constructor(
    private readonly view: View,
    private readonly loaded: ReadonlySignal<Loaded | null>,
  ) {
    hinted(this.node, "Drag over the ramp to show only curves of these values.");
    listen(this.node, view.aborted, {
      pointerdown: (event) => {
        const scale = this.#scale;
        if (scale !== null && event.button === 0) {
          followDrag(this.node, event, this.#drag(event, this.#rangeOf(scale)), view.aborted);
        }
      },
      keydown: (event) => this.#press(event),
    });
    view.keep(
      () => [this.#scale, this.#scale === null ? WHOLE : this.#rangeOf(this.#scale)] as const,
      ([scale, range]) => {
        if (scale !== null) this.#draw(scale, range);
      },
    );
  }

  get #scale(): ContinuousColors | null {
    const scale = this.loaded.value?.colors?.scale;
    return scale?.kind === "continuous" ? scale : null;
  }

  #rangeOf({ column, domain }: ContinuousColors): Range {
    const filter = this.view.store.remembered.of("filters").value[column];
    if (filter === undefined || !("range" in filter)) return WHOLE;
    return filter.range.map((value) => rampPlace(domain, value)) as Range;
  }

  /** Shows the curves between two places of the ramp. */
  #choose(places: Range): void {
    if (this.#scale === null) return;
    const [low, high] = this.#scale.domain;
    const ends = places.map(clamped).sort((a, b) => a - b);
    const values = ends.map((place) => low + place * (high - low)) as Range;
    this.view.store.showRange(ends[0] === 0 && ends[1] === 1 ? null : values);
  }

  #drag(event: PointerEvent, before: Range): Drag {
    const { left, width } = this.node.getBoundingClientRect();
    const grabbed = this.#thumbs.indexOf(event.target as HTMLElement);
    const isNew = grabbed === -1;
    const start = clamped((event.clientX - left) / width);
    const fixed = isNew ? start : before[1 - grabbed]!;
    let last = start;
    return {
      move: ({ x }) => {
        last = clamped(x / width);
        if (!isNew || Math.abs(last - start) >= STEP) this.#choose([fixed, last]);
      },
      end: () => {
        if (isNew && Math.abs(last - start) < STEP) this.view.store.showRange(null);
      },
      cancel: () => this.#choose(before),
    };
  }

  #press(event: KeyboardEvent): void {
    const end = this.#thumbs.indexOf(event.target as HTMLElement);
    const by = { ArrowRight: STEP, ArrowUp: STEP, ArrowLeft: -STEP, ArrowDown: -STEP, Home: -1, End: 1 }[event.key];
    if (end === -1 || this.#scale === null || by === undefined) return;
    event.preventDefault();
    const [from, to] = this.#rangeOf(this.#scale);
    this.#choose(end === 0 ? [Math.min(from + by, to), to] : [from, Math.max(to + by, from)]);
  }

  #draw(scale: ContinuousColors, range: Range): void {
    const write = rampWriter(scale);
    const [low, high] = scale.domain;
    for (const [end, thumb] of this.#thumbs.entries()) {
      const value = low + range[end]! * (high - low);
      thumb.style.left = `${range[end]! * 100}%`;
      const attributes = { "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": value };
      update(thumb, { ...attributes, "aria-valuetext": write(value) });
    }
    this.#covers[0]!.style.width = `${range[0] * 100}%`;
    this.#covers[1]!.style.width = `${(1 - range[1]) * 100}%`;
    update(this.node, { "data-cut": range[0] > 0 || range[1] < 1 });
  }
}
