/** What the tooltip of a view shows: a card next to a mark, or a text below what it explains. */
import { signal } from "@preact/signals-core";
import { placeBelow, placeBeside } from "./placing.ts";
import { uniqueId } from "./unique_id.ts";

export interface TooltipRow {
  label: string;
  value: string;
  swatch?: string | undefined;
}

export interface TooltipContent {
  /** "" is no heading. */
  title: string;
  rows: readonly TooltipRow[];
  note: string | null;
  anchor: DOMRect;
  /** Whether it is announced: cards opened by keyboard are, cards at the pointer are not. */
  isSpoken: boolean;
  place: typeof placeBeside;
}

export class Tooltip {
  readonly id = uniqueId("ice-tooltip");
  /** Null while the tooltip is hidden. */
  readonly content = signal<TooltipContent | null>(null);

  show(title: string, rows: readonly TooltipRow[], anchor: DOMRect, isSpoken: boolean, note: string | null = null) {
    this.content.value = { title, rows, note, anchor, isSpoken, place: placeBeside };
  }

  explain(title: string, note: string, anchor: DOMRect): void {
    this.content.value = { title, rows: [], note, anchor, isSpoken: false, place: placeBelow };
  }

  hide(): void {
    this.content.value = null;
  }
}
