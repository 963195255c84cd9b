/** The menu of settings that are rarely changed. */

import { html } from "../../ui/element.ts";
import { hinted } from "../../ui/explained.ts";
import { listen } from "../../ui/lifetime.ts";
import { moveBeside } from "../../ui/move_to.ts";
import { placeUnder } from "../../ui/placing.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import { anchorEntry } from "./anchor.ts";
import { colorEntry } from "./color_by.ts";
import { detailsPanel } from "./details.ts";
import { choiceEntries, switchEntries } from "./entries.ts";

/** What other panels put into the menu. */
export interface MoreSettings {
  compare: HTMLElement;
  drivers: HTMLElement;
}

export function settingsMenu(view: View, { compare, drivers }: MoreSettings): HTMLElement {
  const { root, aborted } = view;
  const button = pushButton(
    { class: "ice-button", "aria-expanded": "false", "aria-label": "More settings", "data-test": "view" },
    "⋯",
  );
  const menu = html(
    "div",
    {
      class: "ice-menu ice-view-choices",
      role: "group",
      "aria-label": "More settings",
      // A press on a text moves the focus to the menu, not out of it to a cell of the notebook.
      tabindex: -1,
      hidden: true,
      "data-test": "view-menu",
    },
    colorEntry(view),
    compare,
    drivers,
    ...choiceEntries(view),
    anchorEntry(view),
    ...switchEntries(view),
    detailsPanel(view),
  );
  const whole = html("div", { class: "ice-view" }, hinted(button, "More settings"), menu);

  const open = (): void => {
    menu.hidden = false;
    button.setAttribute("aria-expanded", "true");
    moveBeside(menu, button.getBoundingClientRect(), root, placeUnder);
  };
  const close = (): void => {
    menu.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  listen(button, aborted, { click: () => (menu.hidden ? open() : close()) });
  // What these show is behind the menu.
  listen(compare, aborted, { change: close });
  listen(drivers, aborted, { click: ({ target }) => (target as Element).closest(".ice-both") !== null && close() });
  listen(whole, aborted, {
    keydown: (event) => {
      if (event.key !== "Escape" || menu.hidden) return;
      close();
      button.focus({ preventScroll: true });
      event.preventDefault();
      event.stopPropagation();
    },
  });
  const leave = (target: EventTarget | null): void => {
    if (!(target instanceof Node && whole.contains(target))) close();
  };
  listen(whole, aborted, { focusout: ({ relatedTarget }) => relatedTarget !== null && leave(relatedTarget) });
  const options = { signal: aborted };
  document.addEventListener("pointerdown", (event) => leave(event.composedPath()[0] ?? null), options);
  return whole;
}
