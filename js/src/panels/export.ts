/** Saves the view as a file, from a menu that the keyboard can work. */
import { effect } from "@preact/signals-core";
import { Cancelled } from "../client.ts";
import { placeUnder } from "../geometry/placing.ts";
import { html, setText } from "../marks/element.ts";
import { moveBeside } from "../marks/place.ts";
import { type SaveFormat, save } from "../save.ts";
import type { View } from "../view.ts";

const FORMATS: Record<SaveFormat, string> = { svg: "SVG, for print and slides", png: "PNG, for chat and mail" };

export function exportPanel(view: View): HTMLElement {
  const { store, root, aborted } = view;
  const problem = html("p", { class: "ice-problem", role: "alert", "data-test": "export-problem", hidden: true });
  const button = html(
    "button",
    {
      type: "button",
      class: "ice-button",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "data-test": "export",
    },
    "Export",
  );
  const items = (Object.keys(FORMATS) as SaveFormat[]).map((format) => {
    const item = html(
      "button",
      { type: "button", class: "ice-menu-item", role: "menuitem", tabindex: -1, "data-test": `export-${format}` },
      FORMATS[format],
    );
    item.addEventListener("click", () => void run(format), { signal: aborted });
    return item;
  });
  const menu = html(
    "div",
    { class: "ice-menu", role: "menu", "aria-label": "Export the view", hidden: true },
    ...items,
  );

  const open = (): void => {
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
  const run = async (format: SaveFormat): Promise<void> => {
    close(true);
    problem.hidden = true;
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    try {
      await save(store, format);
    } catch (error) {
      if (error instanceof Cancelled) return;
      setText(problem, error instanceof Error ? error.message : String(error));
      problem.hidden = false;
    } finally {
      button.disabled = store.figures.peek() === null;
      button.removeAttribute("aria-busy");
    }
  };

  button.addEventListener("click", () => (menu.hidden ? open() : close(true)), { signal: aborted });
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
    { signal: aborted },
  );
  menu.addEventListener(
    "focusout",
    (event) => {
      if (
        !(event.relatedTarget instanceof Node && (menu.contains(event.relatedTarget) || event.relatedTarget === button))
      ) {
        close(false);
      }
    },
    { signal: aborted },
  );
  const ended = effect(() => {
    button.disabled = store.picture.value.state !== "ready";
  });
  aborted.addEventListener("abort", ended, { once: true });
  return html("div", { class: "ice-export" }, problem, button, menu);
}
