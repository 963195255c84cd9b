/** Pinned rows: they are selected, and a card shows the last of them. */
import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Store } from "./store.ts";

export interface Pins {
  /** Row positions in the order in which they were pinned. */
  readonly rows: ReadonlySignal<readonly number[]>;
  /** The row that the card is about; null where it is closed. */
  readonly opened: ReadonlySignal<number | null>;
  /** Selects a row and opens its card, or deselects it. */
  pin(position: number, extend: boolean): void;
  /** Opens the card of the next pinned row, or of the one before. */
  turn(step: 1 | -1): void;
  /** Opens the card of a selected row. */
  open(position: number): void;
  /** Closes the card; whether it was open. The row stays selected. */
  close(): boolean;
}

export function pinsOf(store: Store, aborted: AbortSignal): Pins {
  const rows = signal<readonly number[]>([]);
  const opened = signal<number | null>(null);

  // A row that is selected alone is pinned, however it was selected; one that is no longer selected is no longer pinned.
  let alone: number | null = null;
  const ended = effect(() => {
    const before = alone;
    alone = store.whatIfRow.value;
    if (alone === null) store.crosshair.value = null;
    if (alone !== null && alone !== before) {
      rows.value = [alone];
      opened.value = alone;
      return;
    }
    const selected = new Set(store.selection.value);
    const kept = rows.peek().filter((row) => selected.has(row));
    if (kept.length === rows.peek().length) return;
    rows.value = kept;
    const open = opened.peek();
    if (open !== null && !selected.has(open)) opened.value = kept[kept.length - 1] ?? null;
  });
  aborted.addEventListener("abort", ended, { once: true });

  return {
    rows,
    opened,
    pin(position, extend) {
      store.select(position, extend);
      if (!store.selection.peek().includes(position)) return;
      rows.value = extend ? [...rows.peek().filter((row) => row !== position), position] : [position];
      opened.value = position;
    },
    turn(step) {
      const all = rows.peek();
      const at = all.indexOf(opened.peek()!);
      if (at !== -1) opened.value = all[(at + step + all.length) % all.length]!;
    },
    open(position) {
      if (!rows.peek().includes(position)) rows.value = [...rows.peek(), position];
      opened.value = position;
    },
    close() {
      const wasOpen = opened.peek() !== null;
      opened.value = null;
      return wasOpen;
    },
  };
}
