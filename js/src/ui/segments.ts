/** One of a few, as buttons side by side: one stop of the Tab key, arrow keys go from one to the next. */
import { html, update } from "./element.ts";
import { listen } from "./lifetime.ts";

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export interface Segments {
  node: HTMLElement;
  /** The Tab key reaches the button that is checked, or the first. */
  check: (place: number) => void;
}

/** `choose` receives the place of a button. */
export function segments(
  label: string,
  buttons: readonly HTMLButtonElement[],
  choose: (place: number) => void,
  aborted: AbortSignal,
): Segments {
  const node = html("div", { class: "ice-segments", role: "radiogroup", "aria-label": label }, ...buttons);
  const go = (place: number): void => {
    choose(place);
    buttons[place]!.focus({ preventScroll: true });
  };
  for (const [place, button] of buttons.entries()) {
    update(button, { type: "button", role: "radio" });
    button.classList.add("ice-segment");
    listen(button, aborted, { click: () => go(place) });
  }
  listen(node, aborted, {
    keydown: (event) => {
      const step = STEPS[event.key];
      if (step === undefined) return;
      event.preventDefault();
      go((buttons.indexOf(event.target as HTMLButtonElement) + step + buttons.length) % buttons.length);
    },
  });
  const check = (checked: number): void => {
    for (const [place, button] of buttons.entries()) {
      const tabindex = place === Math.max(0, checked) ? 0 : -1;
      update(button, { "aria-checked": String(place === checked), tabindex });
    }
  };
  return { node, check };
}
