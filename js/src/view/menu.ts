/** A button with a menu that the keyboard can work. */
import { html } from "../elements/element.ts";
import { moveBeside } from "../elements/move_to.ts";
import { placeUnder } from "../elements/placing.ts";
import type { View } from "./view.ts";

export interface MenuItem {
  name: string;
  label: string;
  act: () => void;
  /** Whether a rule parts it from those before. */
  apart?: boolean;
}

export interface Menu {
  button: HTMLButtonElement;
  menu: HTMLElement;
  items: HTMLButtonElement[];
  /** With the keyboard back on the button, if it was in the menu. */
  close: (refocus: boolean) => void;
}

/** `opening` is called before it opens: what the items say may change. */
export function menuButton(
  { root, aborted }: Pick<View, "root" | "aborted">,
  { name, label, title }: { name: string; label: string; title: string },
  entries: readonly MenuItem[],
  opening: () => void = () => {},
): Menu {
  const options = { signal: aborted };
  const button = html(
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
  const items = entries.map((entry) => {
    const node = html(
      "button",
      { type: "button", class: "ice-menu-item", role: "menuitem", tabindex: -1, "data-test": `${name}-${entry.name}` },
      entry.label,
    );
    node.addEventListener("click", entry.act, options);
    return node;
  });
  const rule = (at: number): Node[] =>
    entries[at]!.apart ? [html("div", { class: "ice-menu-rule", role: "separator" })] : [];
  const menu = html(
    "div",
    { class: "ice-menu", role: "menu", "aria-label": title, hidden: true },
    ...items.flatMap((node, at) => [...rule(at), node]),
  );

  const open = (): void => {
    opening();
    menu.hidden = false;
    button.setAttribute("aria-expanded", "true");
    items[0]?.focus({ preventScroll: true });
    moveBeside(menu, button.getBoundingClientRect(), root, placeUnder);
  };
  const close = (refocus: boolean): void => {
    if (menu.hidden) return;
    menu.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (refocus) button.focus({ preventScroll: true });
  };
  button.addEventListener("click", () => (menu.hidden ? open() : close(true)), options);
  menu.addEventListener(
    "keydown",
    (event) => {
      const focused = items.indexOf(event.target as HTMLButtonElement);
      const last = items.length - 1;
      const targets: Record<string, number> = { ArrowDown: focused + 1, ArrowUp: focused - 1, Home: 0, End: last };
      const target = targets[event.key];
      if (event.key === "Escape") close(true);
      else if (target === undefined) return;
      else items[(target + items.length) % items.length]?.focus({ preventScroll: true });
      event.preventDefault();
      event.stopPropagation();
    },
    options,
  );
  menu.addEventListener(
    "focusout",
    ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && (menu.contains(relatedTarget) || relatedTarget === button))) close(false);
    },
    options,
  );
  return { button, menu, items, close };
}
