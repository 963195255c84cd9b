/** A button with a menu that works with the keyboard. */
import { html } from "../ui/element.ts";
import { moveBeside } from "../ui/move_to.ts";
import { placeUnder } from "../ui/placing.ts";
import type { View } from "./view.ts";

export interface MenuItem {
  name: string;
  label: string;
  act: () => void;
  /** Whether a rule separates it from the items before. */
  apart?: boolean;
  /** What a row of items has in common, which is written above them. */
  heading?: string;
}

export interface Menu {
  button: HTMLButtonElement;
  menu: HTMLElement;
  items: HTMLButtonElement[];
  open: () => void;
  /** `refocus` returns the focus to what had it. */
  close: (refocus: boolean) => void;
}

/** `opening` is called before the menu opens, to update its items. */
export const menuButton = (
  view: Pick<View, "root" | "aborted">,
  names: { name: string; label: string; title: string },
  entries: readonly MenuItem[],
  opening: () => void = () => {},
): Menu => new ButtonMenu(view, names, entries, opening);

class ButtonMenu implements Menu {
  readonly button: HTMLButtonElement;
  readonly menu: HTMLElement;
  readonly items: HTMLButtonElement[];
  readonly #root: HTMLElement;
  readonly #opening: () => void;
  /** What had the focus before. */
  #before: HTMLElement | null = null;

  constructor(
    { root, aborted }: Pick<View, "root" | "aborted">,
    { name, label, title }: { name: string; label: string; title: string },
    entries: readonly MenuItem[],
    opening: () => void,
  ) {
    const options = { signal: aborted };
    this.#root = root;
    this.#opening = opening;
    this.button = html(
      "button",
      {
        type: "button",
        class: "ice-button ice-disclosure",
        "aria-haspopup": "menu",
        "aria-expanded": "false",
        "data-test": name,
      },
      label,
    );
    this.items = entries.map((entry) => itemOf(name, entry));
    // A press beside the items, or on one in Safari, moves the focus to the menu, not out of it to a cell of the notebook.
    const attributes = {
      class: "ice-menu",
      role: "menu",
      "aria-label": title,
      tabindex: -1,
      "data-test": `${name}-menu`,
    };
    this.menu = html("div", { ...attributes, hidden: true }, ...partsOf(entries, this.items));
    for (const [at, item] of this.items.entries()) item.addEventListener("click", entries[at]!.act, options);
    this.button.addEventListener("click", () => (this.menu.hidden ? this.open() : this.close(true)), options);
    this.menu.addEventListener("keydown", (event) => this.#press(event), options);
    this.menu.addEventListener("focusout", (event) => this.#leave(event), options);
  }

  readonly close = (refocus: boolean): void => {
    if (this.menu.hidden) return;
    this.#show(false);
    if (refocus) (this.#before ?? this.button).focus({ preventScroll: true });
  };

  readonly open = (): void => {
    const { activeElement } = this.#root.getRootNode() as Document | ShadowRoot;
    const hasFocus = activeElement instanceof HTMLElement && activeElement !== document.body;
    this.#before = hasFocus ? activeElement : null;
    this.#opening();
    this.#show(true);
    this.items[0]?.focus({ preventScroll: true });
    moveBeside(this.menu, this.button.getBoundingClientRect(), this.#root, placeUnder);
  };

  #show(isOpen: boolean): void {
    this.menu.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
  }

  #press(event: KeyboardEvent): void {
    const { items } = this;
    const focused = items.indexOf(event.target as HTMLButtonElement);
    const last = items.length - 1;
    const [before, after] = [focused - 1, focused + 1];
    const targets: Record<string, number> = {
      ArrowDown: after,
      ArrowRight: after,
      ArrowUp: before,
      ArrowLeft: before,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (event.key === "Escape") this.close(true);
    else if (target === undefined) return;
    else items[(target + items.length) % items.length]?.focus({ preventScroll: true });
    event.preventDefault();
    event.stopPropagation();
  }

  /** Closes the menu when the focus moves elsewhere. */
  #leave({ relatedTarget }: FocusEvent): void {
    const { menu, button } = this;
    const isInside = relatedTarget instanceof Node && (menu.contains(relatedTarget) || relatedTarget === button);
    if (!isInside) this.close(false);
  }
}

/** The items in order, in rows with a heading, and with rules between them. */
function partsOf(entries: readonly MenuItem[], items: readonly HTMLElement[]): HTMLElement[] {
  const parts: HTMLElement[] = [];
  for (const [at, { apart = false, heading }] of entries.entries()) {
    const row = parts.at(-1);
    if (apart) parts.push(rule());
    if (heading === undefined) parts.push(items[at]!);
    else if (row?.getAttribute("aria-label") === heading) row.append(items[at]!);
    else {
      parts.push(html("div", { class: "ice-menu-heading", "aria-hidden": "true" }, heading));
      parts.push(html("div", { class: "ice-menu-row", role: "group", "aria-label": heading }, items[at]!));
    }
  }
  return parts;
}

const rule = (): HTMLElement => html("div", { class: "ice-menu-rule", role: "separator" });

const itemOf = (menu: string, { name, label }: MenuItem): HTMLButtonElement =>
  html(
    "button",
    { type: "button", class: "ice-menu-item", role: "menuitem", tabindex: -1, "data-test": `${menu}-${name}` },
    label,
  );
