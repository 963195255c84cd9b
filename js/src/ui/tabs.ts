/** Tabs as in the ARIA practices: one stop of the Tab key, and arrow keys between tabs. */
import { html, uniqueId, update } from "./element.ts";

export interface Tab<Name extends string> {
  name: Name;
  label: string;
  panel: HTMLElement;
}

export class Tabs<Name extends string> {
  readonly node: HTMLElement;
  readonly #buttons: HTMLButtonElement[];

  constructor(
    label: string,
    private readonly tabs: readonly Tab<Name>[],
    choose: (name: Name) => void,
    signal: AbortSignal,
  ) {
    const prefix = uniqueId("ice");
    this.#buttons = tabs.map(({ name, label: text, panel }) => {
      const [tabId, panelId] = [`${prefix}-tab-${name}`, `${prefix}-${name}`];
      update(panel, { id: panelId, role: "tabpanel", "aria-labelledby": tabId, "data-test": `tabpanel-${name}` });
      const attributes = { id: tabId, role: "tab", class: "ice-tab", "aria-controls": panelId };
      return html("button", { type: "button", "data-test": `tab-${name}`, ...attributes }, text);
    });
    this.node = html("div", { class: "ice-tabs", role: "tablist", "aria-label": label }, ...this.#buttons);
    const go = (place: number): void => {
      choose(tabs[place]!.name);
      this.#buttons[place]!.focus({ preventScroll: true });
    };
    for (const [place, button] of this.#buttons.entries())
      button.addEventListener("click", () => go(place), { signal });
    this.node.addEventListener(
      "keydown",
      (event) => {
        const place = this.#buttons.indexOf(event.target as HTMLButtonElement);
        const last = tabs.length - 1;
        const targets: Record<string, number> = {
          ArrowRight: place === last ? 0 : place + 1,
          ArrowLeft: place === 0 ? last : place - 1,
          Home: 0,
          End: last,
        };
        const target = targets[event.key];
        if (target === undefined) return;
        event.preventDefault();
        go(target);
      },
      { signal },
    );
  }

  focus(name: Name): void {
    this.#buttons[this.tabs.findIndex((tab) => tab.name === name)]?.focus({ preventScroll: true });
  }

  draw(chosen: Name): void {
    for (const [place, { name, panel }] of this.tabs.entries()) {
      const isChosen = name === chosen;
      update(this.#buttons[place]!, { "aria-selected": String(isChosen), tabindex: isChosen ? 0 : -1 });
      panel.hidden = !isChosen;
    }
  }
}
