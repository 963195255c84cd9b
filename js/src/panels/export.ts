/** Saves what is shown as a file: a menu for the usual ways that the keyboard can work, and a dialog for all of them. */
import { effect } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../client.ts";
import { placeUnder } from "../geometry/placing.ts";
import { html, setText } from "../marks/element.ts";
import { moveBeside } from "../marks/place.ts";
import { carryOut, titleOf, type Wish } from "../save.ts";
import type { View } from "../view.ts";
import { exportDialog } from "./export_dialog.ts";
import { ExportNews } from "./export_news.ts";

/** What another part of the page says to the explorer's root, to have the dialog opened. */
const ASKED = "ice-explorer:export";
const NOTHING_YET = "There is nothing to export until curves are drawn.";

const ITEMS = {
  svg: { label: "Download SVG", where: "download" },
  png: { label: "Download PNG", where: "download" },
  copy: { label: "Copy PNG to the clipboard", where: "clipboard" },
  notebook: { label: "Save beside the notebook", where: "notebook" },
} as const;

const BESIDE = Object.keys(ITEMS).indexOf("notebook");

export interface ExportPanel {
  /** The button and its menu. */
  button: HTMLElement;
  /** What became of the last export. */
  news: HTMLElement;
}

export function exportPanel(view: View): ExportPanel {
  const { store, root, aborted } = view;
  const options = { signal: aborted };
  const button = html(
    "button",
    {
      type: "button",
      class: "ice-button ice-disclosure",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "data-test": "export",
    },
    "Export",
  );
  const news = new ExportNews(aborted, () => button.focus({ preventScroll: true }));
  const save = async (wish: Wish): Promise<void> => {
    news.clear();
    news.tell(await carryOut(store, wish));
  };
  const dialog = exportDialog(view, save, (sentence) => news.fail(sentence));
  const item = (name: string, label: string, act: () => void): HTMLButtonElement => {
    const node = html(
      "button",
      { type: "button", class: "ice-menu-item", role: "menuitem", tabindex: -1, "data-test": `export-${name}` },
      label,
    );
    node.addEventListener("click", act, options);
    return node;
  };
  const items = (Object.keys(ITEMS) as (keyof typeof ITEMS)[]).map((name) =>
    item(name, ITEMS[name].label, () => void run(wishOf(name))),
  );
  const more = item("more", "More …", () => {
    close(true);
    dialog.open();
  });
  items.push(more);
  const menu = html(
    "div",
    { class: "ice-menu", role: "menu", "aria-label": "Export the view", hidden: true },
    ...items.slice(0, -1),
    html("div", { class: "ice-menu-rule", role: "separator" }),
    more,
  );

  /** The one that JupyterLab is set to, if this kernel can make it. */
  const usualFormat = (): string => {
    const { format } = store.settings.peek();
    return (
      store.figures.peek()?.header.formats.find(({ name, problem }) => name === format && problem === null)?.name ??
      "svg"
    );
  };
  const wishOf = (name: keyof typeof ITEMS): Wish => {
    const { width = null, dpi = null } = store.settings.peek();
    const formats = { svg: "svg", png: "png", copy: "png", notebook: usualFormat() };
    return { format: formats[name], what: "view", width, dpi, where: ITEMS[name].where };
  };
  const open = (): void => {
    setText(items[BESIDE]!, `Save ${titleOf(usualFormat())} beside the notebook`);
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
  const run = async (wish: Wish): Promise<void> => {
    close(true);
    button.setAttribute("aria-busy", "true");
    try {
      await save(wish);
    } catch (error) {
      if (error instanceof Cancelled) return;
      news.fail(sentenceOf(error));
    } finally {
      button.removeAttribute("aria-busy");
    }
  };

  button.addEventListener("click", () => (menu.hidden ? open() : close(true)), options);
  root.addEventListener(
    ASKED,
    () => {
      if (!store.client.hasKernel) return;
      close(false);
      if (button.disabled) news.fail(NOTHING_YET);
      else dialog.open();
    },
    options,
  );
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
    (event) => {
      if (
        !(event.relatedTarget instanceof Node && (menu.contains(event.relatedTarget) || event.relatedTarget === button))
      ) {
        close(false);
      }
    },
    options,
  );
  const ended = effect(() => {
    button.disabled = store.picture.value.state !== "ready";
  });
  aborted.addEventListener("abort", ended, { once: true });
  const whole = html("div", { class: "ice-export" }, button, menu, dialog.node);
  whole.hidden = !store.client.hasKernel;
  return { button: whole, news: news.node };
}
