/** The tiles that exist, and which of them are near the view of the page. */
import { atEnd } from "../../ui/lifetime.ts";
import { Tile } from "./tile.ts";

/** How far from the view of the page a tile is near it. */
const NEAR = "160px 0px";

export class Tiles {
  readonly #all = new Map<string, Tile>();
  readonly #near = new Set<string>();
  readonly #observer: IntersectionObserver;

  /** `moved` is called when tiles come near the view of the page, or leave it. */
  constructor(
    private readonly list: HTMLElement,
    private readonly partedAt: (name: string) => number | undefined,
    moved: () => void,
    aborted: AbortSignal,
  ) {
    this.#observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const name = (target as HTMLElement).dataset.feature ?? "";
          if (isIntersecting) this.#near.add(name);
          else this.#near.delete(name);
        }
        moved();
      },
      { rootMargin: NEAR },
    );
    atEnd(aborted, () => this.#observer.disconnect());
  }

  get all(): ReadonlyMap<string, Tile> {
    return this.#all;
  }

  isNear(name: string): boolean {
    return this.#near.has(name);
  }

  /** These names, those near the view of the page first; none as long as no tile is near it. */
  nearFirst(names: readonly string[]): string[] {
    if (this.#near.size === 0) return [];
    return [...names.filter((name) => this.#near.has(name)), ...names.filter((name) => !this.#near.has(name))];
  }

  /** The tile of a feature, made where there is none. */
  of(name: string): Tile {
    const known = this.#all.get(name);
    if (known !== undefined) return known;
    const tile = new Tile(name, this.partedAt(name));
    this.#all.set(name, tile);
    this.list.append(tile.node);
    this.#observer.observe(tile.node);
    return tile;
  }

  keepOnly(names: ReadonlySet<string>): void {
    for (const [name, tile] of this.#all) {
      if (names.has(name)) continue;
      this.#observer.unobserve(tile.node);
      this.#near.delete(name);
      tile.node.remove();
      this.#all.delete(name);
    }
  }
}
