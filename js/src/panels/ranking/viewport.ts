/**
 * What shows of the bars. A long list has room for all bars, and elements for those in or near view, for the one with the
 * focus and for the one that the Tab key reaches.
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";

/** Lists up to this length have elements for all rows. */
const SHORT = 50;
/** Rows kept beyond either edge. */
const OVER = 4;

export class Viewport {
  /** The element that scrolls; null while it is not on the page. */
  node: HTMLElement | null = null;
  /** The last measured scroll position and heights: reading them while drawing forces a layout. */
  readonly #top = signal(0);
  readonly #height = signal(0);
  readonly #row = signal(0);
  #revealedTop = 0;

  readonly #range = computed(() => {
    const n = this.count.value;
    const [row, height] = [this.#row.value, this.#height.value];
    if (n <= SHORT || row === 0) return { first: 0, end: Math.min(n, SHORT) };
    const top = Math.min(Math.max(this.#top.value, 0), Math.max(0, n * row - height));
    return {
      first: Math.max(0, Math.floor(top / row) - OVER),
      end: Math.min(n, Math.ceil((top + height) / row) + OVER),
    };
  });
  /** The first of the rows in or near view, and one past the last. */
  readonly first = computed(() => this.#range.value.first);
  readonly end = computed(() => this.#range.value.end);
  /** Number of rows that fit. */
  readonly inSight = computed(() => Math.floor(this.#height.value / (this.#row.value || Number.POSITIVE_INFINITY)));

  constructor(private readonly count: ReadonlySignal<number>) {}

  /** Follows the size of an element, which scrolls to where the one before was. Returns a function that stops it. */
  show(node: HTMLElement): () => void {
    this.node = node;
    node.scrollTop = this.#top.peek();
    this.measure();
    const observer = new ResizeObserver(this.measure);
    observer.observe(node);
    return () => {
      this.node = null;
      observer.disconnect();
    };
  }

  readonly measure = (): void => {
    const { node } = this;
    if (node === null) return;
    batch(() => {
      this.#row.value ||= Number.parseFloat(getComputedStyle(node).getPropertyValue("--ice-row")) || 0;
      this.#top.value = node.scrollTop;
      this.#height.value = node.clientHeight;
    });
  };

  get perPage(): number {
    return Math.max(1, this.inSight.peek() - 1);
  }

  /** Scrolls so that a row shows whole. */
  reveal(place: number): void {
    const { node } = this;
    if (node === null || place < 0) return;
    const [top, row] = [node.scrollTop, this.#row.peek()];
    const lowest = (place + 1) * row - node.clientHeight;
    if (place * row < top) node.scrollTop = place * row;
    else if (lowest > top) node.scrollTop = lowest;
    this.#revealedTop = node.scrollTop;
  }

  /** Whether the list was scrolled since a row was revealed. */
  get isMoved(): boolean {
    return this.node !== null && this.node.scrollTop !== this.#revealedTop;
  }
}
