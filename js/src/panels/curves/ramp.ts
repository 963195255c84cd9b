/** A part of the colour ramp, chosen by dragging over it or by keys: lines of other values are hidden. */

import type { ReadonlySignal } from "@preact/signals-core";
import { html, update } from "../../elements/element.ts";
import { hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { followDrag } from "../../gestures/gestures.ts";
import { rampPlace } from "../../store/filters.ts";
import type { Loaded } from "../../store/store.ts";
import type { View } from "../../view/view.ts";
import type { ContinuousColors } from "../../wire/protocol.ts";
import { rampWriter } from "../../words/values.ts";

type Range = [number, number];

/** Steps of the keys, as shares of the ramp; a drag shorter than one shows all. */
const STEP = 0.05;
const WHOLE: Range = [0, 1];

export function rampRange(view: View, loaded: ReadonlySignal<Loaded | null>): HTMLElement {
  const { store, aborted } = view;
  const thumbs = ["Lowest value shown", "Highest value shown"].map((label, end) =>
    html("i", {
      class: "ice-ramp-thumb",
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      "data-test": end === 0 ? "ramp-from" : "ramp-to",
    }),
  );
  const covers = [html("i", { class: "ice-ramp-cover" }), html("i", { class: "ice-ramp-cover" })];
  const node = html("span", { class: "ice-ramp-range", "data-test": "ramp-range" }, ...covers, ...thumbs);
  hinted(node, "Drag over the ramp to show only curves of these values.");

  const scale = (): ContinuousColors | null => {
    const shown = loaded.value?.colors?.scale;
    return shown?.kind === "continuous" ? shown : null;
  };
  const rangeOf = (of: ContinuousColors): Range => {
    const filter = store.remembered.of("filters").value[of.column];
    if (filter === undefined || !("range" in filter)) return WHOLE;
    return filter.range.map((value) => rampPlace(of.domain, value)) as Range;
  };
  const choose = ([one, other]: Range): void => {
    const of = scale();
    if (of === null) return;
    const [low, high] = of.domain;
    const ends = [one, other].sort((a, b) => a - b).map((place) => Math.min(1, Math.max(0, place)));
    const values = ends.map((place) => low + place * (high - low)) as Range;
    store.showRange(ends[0] === 0 && ends[1] === 1 ? null : values);
  };

  listen(node, aborted, {
    pointerdown: (event) => {
      const of = scale();
      if (of === null || event.button !== 0) return;
      const { width } = node.getBoundingClientRect();
      const before = rangeOf(of);
      const held = thumbs.indexOf(event.target as HTMLElement);
      const placeOf = (x: number): number => Math.min(1, Math.max(0, x / width));
      const start = placeOf(event.clientX - node.getBoundingClientRect().left);
      const fixed = held === -1 ? start : before[1 - held]!;
      let last = start;
      const move = ({ x }: { x: number }): void => {
        last = placeOf(x);
        if (held !== -1 || Math.abs(last - start) >= STEP) choose([fixed, last]);
      };
      const end = (): void => {
        if (held === -1 && Math.abs(last - start) < STEP) store.showRange(null);
      };
      followDrag(node, event, { move, end, cancel: () => choose(before) }, aborted);
    },
    keydown: (event) => {
      const end = thumbs.indexOf(event.target as HTMLElement);
      const by = { ArrowRight: STEP, ArrowUp: STEP, ArrowLeft: -STEP, ArrowDown: -STEP, Home: -1, End: 1 }[event.key];
      const of = scale();
      if (end === -1 || of === null || by === undefined) return;
      event.preventDefault();
      const [from, to] = rangeOf(of);
      choose(end === 0 ? [Math.min(from + by, to), to] : [from, Math.max(to + by, from)]);
    },
  });

  view.keep(
    () => {
      const of = scale();
      return of === null ? null : { of, range: rangeOf(of) };
    },
    (shown) => {
      if (shown === null) return;
      const { of, range } = shown;
      const write = rampWriter(of);
      const [low, high] = of.domain;
      for (const [end, thumb] of thumbs.entries()) {
        const value = low + range[end]! * (high - low);
        thumb.style.left = `${range[end]! * 100}%`;
        const attributes = { "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": value };
        update(thumb, { ...attributes, "aria-valuetext": write(value) });
      }
      covers[0]!.style.width = `${range[0] * 100}%`;
      covers[1]!.style.width = `${(1 - range[1]) * 100}%`;
      update(node, { "data-cut": range[0] > 0 || range[1] < 1 });
    },
  );
  return node;
}
