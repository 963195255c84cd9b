/** One of a few, as buttons side by side: one stop of the Tab key, arrow keys go from one to the next. */
import { html, update } from "./element.ts";
import { listen } from "./lifetime.ts";

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Segments {
  readonly node: HTMLElement;

  /** `choose` receives the place of a button. */
  constructor(
    readonly buttons: readonly HTMLButtonElement[],
    { label, className = "" }: { label: string; className?: string },
    private readonly choose: (place: number) => void,
    aborted: AbortSignal,
  ) {
    this.node = html("div", { class: `ice-segments${className}`, role: "radiogroup", "aria-label": label }, ...buttons);
    for (const [place, button] of buttons.entries()) {
      update(button, { type: "button", role: "radio" });
      button.classList.add("ice-segment");
      listen(button, aborted, { click: () => this.#go(place) });
    }
    listen(this.node, aborted, {
      keydown: (event) => {
        const step = STEPS[event.key];
        if (step === undefined) return;
        event.preventDefault();
        this.#go((buttons.indexOf(event.target as HTMLButtonElement) + step + buttons.length) % buttons.length);
      },
    });
  }

  #go(place: number): void {
    this.choose(place);
    this.buttons[place]!.focus({ preventScroll: true });
  }

  /** The Tab key reaches the button that is checked, or the first. */
  check(checked: number): void {
    for (const [place, button] of this.buttons.entries()) {
      const isStop = place === Math.max(0, checked);
      update(button, { "aria-checked": String(place === checked), tabindex: isStop ? 0 : -1 });
    }
  }
}
