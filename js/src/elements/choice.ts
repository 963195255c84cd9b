/** A choice of one option, as radio buttons under a heading. */
import { html, setText, uniqueId } from "./element.ts";

export interface Option<T> {
  value: T;
  label: string;
  hint?: string;
  problem?: string | null;
}

/** Radio buttons under a heading; the reasons for disabled ones are listed below. */
export class Choice<T extends string> {
  readonly #name = uniqueId("ice");
  readonly #lines = html("div", { class: "ice-choice-lines" });
  readonly #reasons = html("p", { class: "ice-choice-reason" });
  readonly node: HTMLElement;
  #inputs: HTMLInputElement[] = [];
  #listed = "";
  #wanted: T | null = null;

  constructor(
    heading: string,
    private readonly test: string,
    aborted: AbortSignal,
  ) {
    const legend = html("legend", {}, heading);
    this.node = html("fieldset", { class: `ice-choice ice-choice-${test}` }, legend, this.#lines, this.#reasons);
    const keep = (): void => {
      this.#wanted = this.value;
    };
    this.#lines.addEventListener("change", keep, { signal: aborted });
  }

  get value(): T | null {
    return (this.#inputs.find(({ checked }) => checked)?.value ?? null) as T | null;
  }

  choose(value: T): void {
    this.#wanted = value;
    this.#check();
  }

  focus(): void {
    this.#inputs.find(({ checked }) => checked)?.focus();
  }

  offer(choices: Option<T>[]): void {
    const listed = JSON.stringify(choices);
    if (listed !== this.#listed) {
      this.#listed = listed;
      const isFocused = this.#inputs.some((input) => input.matches(":focus"));
      const lines = choices.map((choice) => this.#line(choice));
      this.#inputs = lines.map(({ input }) => input);
      this.#lines.replaceChildren(...lines.map(({ line }) => line));
      const reasons = new Set(choices.flatMap(({ problem }) => (problem == null ? [] : [problem])));
      setText(this.#reasons, [...reasons].join(" "));
      this.#reasons.hidden = reasons.size === 0;
      this.#check();
      if (isFocused) this.focus();
    }
  }

  #line({ value, label, hint, problem = null }: Option<T>): { line: HTMLElement; input: HTMLInputElement } {
    const input = html("input", {
      type: "radio",
      name: this.#name,
      value,
      disabled: problem !== null,
      "data-test": `dialog-${this.test}-${value}`,
    });
    const words = html("span", { class: "ice-choice-label" }, label);
    if (hint) words.append(" ", html("span", { class: "ice-choice-hint" }, hint));
    return { line: html("label", { class: "ice-choice-line" }, input, words), input };
  }

  /** Checks the chosen option, or the first available one if it is disabled. */
  #check(): void {
    const free = this.#inputs.filter(({ disabled }) => !disabled);
    const chosen = free.find(({ value }) => value === this.#wanted) ?? free[0];
    if (chosen !== undefined) chosen.checked = true;
  }
}
