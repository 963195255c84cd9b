/** The View menu: what is shown of the open feature besides its lines, and how. */

import { html, setText } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { moveBeside } from "../../elements/move_to.ts";
import { placeUnder } from "../../elements/placing.ts";
import { pushButton } from "../../elements/push_button.ts";
import { EFFECTS } from "../../plots/effects.ts";
import { type Offer, type Offers, offersIn, offersOfAll } from "../../store/available_choices.ts";
import type { View } from "../../view/view.ts";
import type { ViewChoices } from "../../wire/protocol.ts";
import { explanation } from "../../words/glossary.ts";

const FADES: Record<ViewChoices["fade"], string> = { distance: "by distance", unlike: "where unlike the data" };

/** Choices that are on or off: how each is called, and what its values are. */
const SWITCHES = {
  rug: { label: "Ticks at observed values", on: "auto", off: "off" },
  target: { label: "Observed target", on: true, off: false },
  shared_y: { label: "Same value axis for all features", on: true, off: false },
  partial_dependence: { label: "Partial dependence ± SD", on: true, off: false },
  ale: { label: "ALE", on: true, off: false },
  m_plot: { label: "M-plot", on: true, off: false },
  correlated: { label: "Correlated features", on: true, off: false },
  unlike: { label: "Values unlike the data", on: true, off: false },
} as const;
type Switch = keyof typeof SWITCHES;
const USUAL: readonly Switch[] = ["rug", "target", "shared_y"];
/** What the data say about the curves. */
const DATA: readonly Switch[] = ["correlated", "unlike"];

export function viewMenu(view: View): HTMLElement {
  const { root, aborted } = view;
  const button = pushButton(
    { class: "ice-button ice-disclosure", "aria-expanded": "false", "data-test": "view" },
    "View",
  );
  const menu = html(
    "div",
    {
      class: "ice-menu ice-view-choices",
      role: "group",
      "aria-label": "View",
      // A press on a text moves the focus to the menu, not out of it to a cell of the notebook.
      tabindex: -1,
      hidden: true,
      "data-test": "view-menu",
    },
    ...USUAL.map((name) => switchOf(view, name)),
    effectsChoice(view),
    ...DATA.map((name) => switchOf(view, name)),
    fadeChoice(view),
  );
  const whole = html("div", { class: "ice-view" }, button, menu);
  const options = { signal: aborted };

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
  document.addEventListener("pointerdown", (event) => leave(event.composedPath()[0] ?? null), options);
  return whole;
}

/** The View menu, above the open feature and above the small plots. */
const offered = (store: View["store"]): Offers =>
  store.remembered.of("right").value === "all" ? offersOfAll(store.kind.value) : offersIn(store);

/** A line of the menu: a choice, and the reason where it is not available. */
class Line {
  readonly #reason = html("span", { class: "ice-view-reason" });
  readonly node: HTMLElement;

  constructor(
    private readonly input: HTMLInputElement,
    label: string,
  ) {
    this.node = html("label", { class: "ice-view-line" }, input, html("span", {}, label, this.#reason));
  }

  draw(offer: Offer, checked: boolean): void {
    this.node.hidden = offer === undefined;
    this.input.disabled = typeof offer === "string";
    this.input.checked = checked;
    this.#reason.hidden = typeof offer !== "string";
    setText(this.#reason, offer ?? "");
  }
}

/** Only while values unlike the data are shown. */
function fadeChoice({ store, aborted, keep }: View): HTMLElement {
  const meaning = explanation("fade");
  const legend = explained(html("legend", {}, meaning.name), meaning);
  const name = `ice-fade-${Math.random().toString(36).slice(2)}`;
  const lines = (Object.keys(FADES) as ViewChoices["fade"][]).map((way) => {
    const input = html("input", { type: "radio", name, value: way, "data-test": `fade-${way}` });
    listen(input, aborted, { change: () => store.remembered.choose("fade", way) });
    const line = new Line(input, FADES[way]);
    keep(
      () => store.remembered.of("fade").value,
      (now) => line.draw(null, now === way),
    );
    return line.node;
  });
  const field = html("fieldset", { class: "ice-view-fade" }, legend, ...lines);
  keep(
    () => offered(store).unlike === null && store.remembered.of("unlike").value,
    (isOffered) => {
      field.hidden = !isOffered;
    },
  );
  return field;
}

function effectsChoice(view: View): HTMLElement {
  const lines = EFFECTS.map((name) => hinted(switchOf(view, name), explanation(name).text, explanation(name).name));
  const field = html(
    "fieldset",
    { class: "ice-view-effects" },
    html("legend", {}, "Effects"),
    switchOf(view, "partial_dependence"),
    ...lines,
  );
  view.keep(
    () => offered(view.store).ale === undefined,
    (isAbsent) => {
      field.hidden = isAbsent;
    },
  );
  return field;
}

function switchOf({ store, aborted, keep }: View, name: Switch): HTMLElement {
  const { label, on, off } = SWITCHES[name];
  const input = html("input", { type: "checkbox", "data-test": `view-${name}` });
  listen(input, aborted, { change: () => store.remembered.choose(name, input.checked ? on : off) });
  const line = new Line(input, label);
  keep(
    () => [offered(store), store.remembered.of(name).value] as const,
    ([offers, now]) => line.draw(offers[name], now === on),
  );
  return line.node;
}
