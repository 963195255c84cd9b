/** Finds the explorer on the page that a command applies to. */

const EXPLORER = ".ice-explorer";

/** The explorer that contains the target of an event. */
export function explorerAround(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(EXPLORER) : null;
}

export class Explorers {
  readonly #page: Document;
  #lastUsed: WeakRef<HTMLElement> | null = null;

  /** Remembers from now on which explorer was used last: the palette and menus take the focus away from it. */
  constructor(page: Document) {
    this.#page = page;
    for (const event of ["focusin", "pointerdown"]) {
      page.addEventListener(event, ({ target }) => this.#use(explorerAround(target)), { capture: true });
    }
  }

  /**
   * The explorer that is meant where none is named: the one used last, else the first in sight, else the first of all.
   * Those of `current`, the open document, go before others; what another tab covers is never meant.
   */
  choose(current: Element | null): HTMLElement | null {
    return (current === null ? null : this.#chooseIn(current)) ?? this.#chooseIn(this.#page.documentElement);
  }

  #chooseIn(place: Element): HTMLElement | null {
    const shown = [...place.querySelectorAll<HTMLElement>(EXPLORER)].filter((explorer) => explorer.checkVisibility());
    const lastUsed = this.#lastUsed?.deref();
    if (lastUsed !== undefined && shown.includes(lastUsed)) return lastUsed;
    const { top, bottom } = place.getBoundingClientRect();
    const isInSight = (explorer: HTMLElement): boolean => {
      const box = explorer.getBoundingClientRect();
      return box.bottom > Math.max(top, 0) && box.top < Math.min(bottom, this.#page.documentElement.clientHeight);
    };
    return shown.find(isInSight) ?? shown[0] ?? null;
  }

  #use(explorer: HTMLElement | null): void {
    if (explorer !== null) this.#lastUsed = new WeakRef(explorer);
  }
}
