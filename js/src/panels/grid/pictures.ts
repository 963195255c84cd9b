/** What the cards show of their curves, worked out once for each and again when the way of looking at them changes. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { Curves } from "../../decode.ts";
import type { Hidden } from "../../filters.ts";
import { endsWriter } from "../../marks/curves/picture.ts";
import type { Scene } from "../../marks/curves/scene.ts";
import { rangeOf, smallPlot, smallScene } from "../../marks/curves/small.ts";
import type { Anchor, Kind } from "../../protocol.ts";
import type { Shelf } from "../../shelf.ts";
import type { Loaded } from "../../store.ts";
import type { Theme } from "../../theme.ts";
import type { Card } from "./card.ts";

/** Height of the picture in a card, without what is written under it. */
const HEIGHT = 96;

export interface Look {
  kind: Kind;
  anchor: Anchor;
  theme: Theme;
  ratio: number;
  shared: boolean;
  /** What the curves are of. */
  explained: string;
}

interface Shown {
  curves: Curves;
  scene: Scene;
  /** Everything else that the plot was made from. */
  key: string;
  colors: Loaded["colors"];
  theme: Theme;
}

export class Pictures {
  readonly #version = signal(0);
  readonly #shown = new WeakMap<Card, Shown>();
  /** Of every feature that was shown in this kind: the shared axis does not shrink when a card is scrolled away. */
  #ranges = new Map<string, [number, number]>();
  #kindOfRanges = "";

  /** Counts the times that some card got another picture. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  has(card: Card): boolean {
    return this.#shown.has(card) && !card.picture.node.hidden;
  }

  isPainted({ painted, picture }: Card, decay: number, hidden: Hidden): boolean {
    return (
      painted !== null &&
      painted.decay === decay &&
      painted.hidden === hidden &&
      painted.lines === picture.plot?.order.length
    );
  }

  /** Paints up to so many lines; says how many these were. */
  paint(card: Card, decay: number, hidden: Hidden, most: number): number {
    const { plot } = card.picture;
    if (plot === null) return 0;
    const visible = hidden.size === 0 ? plot.order : plot.order.filter((line) => !hidden.has(plot.lines.color[line]!));
    const order = visible.length > most ? visible.subarray(0, most) : visible;
    card.picture.paint(decay, order, visible.length);
    card.painted = { decay, hidden, lines: order.length < visible.length ? order.length : plot.order.length };
    return order.length;
  }

  draw(cards: ReadonlyMap<string, Card>, shelf: Shelf, look: Look, width: number): void {
    const kindOfRanges = JSON.stringify([look.kind, look.anchor, look.explained]);
    if (kindOfRanges !== this.#kindOfRanges) this.#ranges = new Map();
    this.#kindOfRanges = kindOfRanges;
    const ready: { card: Card; loaded: Loaded; scene: Scene }[] = [];
    for (const [name, card] of cards) {
      const shelved = shelf.get(name);
      if (shelved.state !== "ready" || card.picture.node.hidden) continue;
      const { loaded } = shelved;
      const before = this.#shown.get(card);
      const isSame = before?.curves === loaded.curves && before.key.startsWith(`${kindOfRanges} ${width} `);
      const scene = isSame ? before.scene : smallScene(loaded.curves, look.kind, look.anchor, width);
      ready.push({ card, loaded, scene });
      this.#ranges.set(name, rangeOf(scene));
    }
    const together = this.#together();
    let isNew = false;
    for (const { card, loaded, scene } of ready) {
      const domain = look.shared ? together : rangeOf(scene);
      const key = `${kindOfRanges} ${width} ${look.ratio} ${domain.join()}`;
      const { curves, colors } = loaded;
      const before = this.#shown.get(card);
      const isSame = before?.curves === curves && before.key === key && before.theme === look.theme;
      if (isSame && before.colors === colors) continue;
      const size = { width, height: HEIGHT, ratio: look.ratio };
      card.draw(smallPlot(scene, colors, size, look.theme, domain, endsWriter(domain)));
      this.#shown.set(card, { curves, scene, key, colors, theme: look.theme });
      isNew = true;
    }
    if (isNew) this.#version.value = this.#version.peek() + 1;
  }

  #together(): [number, number] {
    const ranges = [...this.#ranges.values()];
    return [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
  }
}
