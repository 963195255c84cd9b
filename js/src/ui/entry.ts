/** A line of a menu of settings. */
import { html, setText, uniqueId, update } from "./element.ts";

/** A line of a menu of settings: its name, its control, and what it does. A click anywhere on it reaches its control. */
export class Entry {
  readonly node: HTMLElement;
  readonly #text: HTMLElement;
  readonly #name: HTMLElement;

  constructor(
    readonly control: HTMLInputElement | HTMLSelectElement,
    private readonly label: string,
    private readonly usual = "",
  ) {
    const id = uniqueId("ice-entry");
    this.#name = html("span", {}, label);
    this.#text = html("span", { id, class: "ice-entry-text", "data-test": `${control.dataset.test}-text` }, usual);
    update(control, { "aria-label": label, "aria-describedby": id });
    this.node = html("label", { class: "ice-entry" }, this.#name, control, this.#text);
  }

  /** Shows the entry, with the reason where it is not available; undefined hides it. */
  show(offer: string | null | undefined, text = this.usual, label = this.label): void {
    this.node.hidden = offer === undefined;
    this.control.disabled = typeof offer === "string";
    setText(this.#name, label);
    setText(this.#text, offer ?? text);
    update(this.control, { "aria-label": label });
  }
}
