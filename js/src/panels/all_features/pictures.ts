/** The plots of the tiles, computed once for each and again when the kind, or the anchor change. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { Scene } from "../../plot/scene.ts";
import { linesOf } from "../../plot/selected.ts";
import { endsWriter } from "../../plot/small_picture.ts";
import { around, rangeOf, smallPlot, smallScene } from "../../plot/small_plot.ts";
import type { Shelf } from "../../state/curve_queue.ts";
import type { Hidden } from "../../state/filters.ts";
import type { Loaded } from "../../state/store.ts";
import type { Theme } from "../../view/theme.ts";
import type { Anchor, CurvesBody, Kind } from "../../wire/protocol.ts";
import type { Tile } from "./tile.ts";

export interface Painting {
  decay: number;
  hidden: Hidden;
  /** The selected rows, where they are too many for strokes. */
  many: ReadonlySet<number> | null;
}

/** Height of the picture in a tile, without what is written under it. */
const HEIGHT = 96;

const NOTHING = new Uint32Array(0);

export interface Look {
  kind: Kind;
  anchor: Anchor;
  theme: Theme;
  ratio: number;
  /** What all features share of the value axis; null where each has its own. */
  shared: [number, number] | null;
  /** What the curves are of. */
  explained: string;
}

interface Shown {
  curves: CurvesBody;
  scene: Scene;
  /** Everything else that the plot was made from. */
  key: string;
  colors: Loaded["colors"];
  theme: Theme;
}

export class Pictures {
  readonly #version = signal(0);
  readonly #shown = new WeakMap<Tile, Shown>();

  /** Increases whenever a tile gets a new plot. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  has(tile: Tile): boolean {
    return this.#shown.has(tile) && !tile.picture.node.hidden;
  }

  isPainted({ painted, picture }: Tile, { decay, hidden, many }: Painting): boolean {
    return (
      painted !== null &&
      painted.decay === decay &&
      painted.hidden === hidden &&
      painted.many === many &&
      painted.lines === picture.plot?.order.length
    );
  }

  /** Paints up to `most` lines; returns how many these were. */
  paint(tile: Tile, { decay, hidden, many }: Painting, most: number): number {
    const { plot } = tile.picture;
    if (plot === null) return 0;
    const visible = hidden.size === 0 ? plot.order : plot.order.filter((line) => !hidden.has(plot.lines.color[line]!));
    const order = visible.length > most ? visible.subarray(0, most) : visible;
    tile.picture.paint(decay, order, visible.length);
    const over = many === null ? NOTHING : linesOf({ scene: plot.scene, order }, many);
    tile.picture.paintSelected(decay, over);
    tile.painted = { decay, hidden, many, lines: order.length < visible.length ? order.length : plot.order.length };
    return order.length + over.length;
  }

  draw(tiles: ReadonlyMap<string, Tile>, shelf: Shelf, look: Look, width: number): void {
    const looked = JSON.stringify([look.kind, look.anchor, look.explained]);
    const ready: { tile: Tile; loaded: Loaded; scene: Scene }[] = [];
    for (const [name, tile] of tiles) {
      const shelved = shelf.get(name);
      if (shelved.state !== "ready" || tile.picture.node.hidden) continue;
      const { loaded } = shelved;
      const before = this.#shown.get(tile);
      const isSame = before?.curves === loaded.curves && before.key.startsWith(`${looked} ${width} `);
      const scene = isSame ? before.scene : smallScene(loaded.curves, look.kind, look.anchor, width);
      ready.push({ tile, loaded, scene });
    }
    let isNew = false;
    for (const { tile, loaded, scene } of ready) {
      const domain = look.shared === null ? rangeOf(scene) : around(rangeOf(scene), look.shared);
      const key = `${looked} ${width} ${look.ratio} ${domain.join()}`;
      const { curves, colors } = loaded;
      const before = this.#shown.get(tile);
      const isSame = before?.curves === curves && before.key === key && before.theme === look.theme;
      if (isSame && before.colors === colors) continue;
      const size = { width, height: HEIGHT, ratio: look.ratio };
      tile.draw(smallPlot(scene, colors, size, look.theme, domain, endsWriter(domain)));
      this.#shown.set(tile, { curves, scene, key, colors, theme: look.theme });
      isNew = true;
    }
    if (isNew) this.#version.value = this.#version.peek() + 1;
  }
}
