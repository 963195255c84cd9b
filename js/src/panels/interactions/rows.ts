/** A list of features or pairs: a bar for H², its figure, and the size of the effect. */

import { figureFormat } from "../../text/numbers.ts";
import { html, setText, update } from "../../ui/element.ts";
import { hinted } from "../../ui/explained.ts";
import { focusedBeside } from "../../ui/focus.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";

export interface JointRow {
  /** One feature, or two. */
  names: string[];
  h2: number;
  effect: number;
  /** Whether the effect is too small to matter, whatever H² is. */
  isTiny: boolean;
}

const TINY = "The size is less than 1 % of the standard deviation of the predictions.";

export class JointRows {
  readonly node: HTMLElement;
  readonly #list = html("ul", { class: "ice-joint-rows" });
  readonly #more = html("p", { class: "ice-meaning" });
  #rows: JointRow[] = [];

  constructor(
    heading: string,
    private readonly test: string,
    open: (row: JointRow) => void,
    aborted: AbortSignal,
  ) {
    const head = html(
      "div",
      { class: "ice-joint-head" },
      html("span", { class: "ice-joint-title" }, heading),
      html("span", { "aria-hidden": "true" }, "H²"),
      html("span", { class: "ice-joint-size", "aria-hidden": "true" }, "size"),
    );
    this.node = html("div", { class: "ice-joint", role: "group", "aria-label": heading }, head, this.#list, this.#more);
    listen(this.#list, aborted, {
      click: ({ target }) => {
        const at = (target as Element).closest<HTMLElement>("[data-at]")?.dataset.at;
        if (at !== undefined) open(this.#rows[Number(at)]!);
      },
    });
  }

  /** Rows with the largest H² first, after which those too small to matter; a bar of `longest` fills its room. */
  draw(rows: readonly JointRow[], most: number, longest: number): void {
    const focused = focusedBeside(this.#list);
    const name = this.#list.contains(focused) ? (focused as HTMLElement).dataset.name : undefined;
    this.#rows = [...rows].sort((a, b) => Number(a.isTiny) - Number(b.isTiny)).slice(0, most);
    this.node.hidden = rows.length === 0;
    const size = figureFormat(Math.max(0, ...rows.map(({ effect }) => effect)));
    const share = figureFormat(longest);
    const nodes = this.#rows.map((row, at) =>
      rowOf(row, { at, test: this.test, longest }, share(row.h2), size(row.effect)),
    );
    this.#list.replaceChildren(...nodes);
    const rest = rows.length - this.#rows.length;
    this.#more.hidden = rest === 0;
    setText(this.#more, `${rest} more with a smaller H².`);
    if (name !== undefined)
      this.#buttons()
        .find((button) => button.dataset.name === name)
        ?.focus();
  }

  /** Marks the row of these names as open. */
  mark(names: readonly string[]): void {
    for (const button of this.#buttons()) {
      const { names: of } = this.#rows[Number(button.dataset.at)]!;
      const isOpen = of.length === names.length && of.every((name) => names.includes(name));
      update(button, { "aria-current": isOpen ? "true" : null });
    }
  }

  #buttons(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>("[data-at]")];
  }
}

const spoken = (text: string): HTMLElement => html("span", { class: "ice-hidden" }, text);

function rowOf(
  { names, h2, effect, isTiny }: JointRow,
  { at, test, longest }: { at: number; test: string; longest: number },
  share: string,
  size: string,
): HTMLElement {
  const name = names.join(" × ");
  const fill = html("span", { class: "ice-joint-fill" });
  fill.style.setProperty("--fill", String(longest > 0 ? Math.min(1, h2 / longest) : 0));
  const button = pushButton(
    { class: "ice-joint-row", "data-test": test, "data-at": at, "data-name": name, "data-tiny": isTiny },
    html("span", { class: "ice-joint-name" }, name),
    html("span", { class: "ice-joint-track" }, fill),
    html("span", { class: "ice-joint-figure" }, spoken(": H² "), share),
    html("span", { class: "ice-joint-size" }, spoken(", size "), size),
  );
  hinted(button, isTiny && effect > 0 ? TINY : "", name);
  return html("li", {}, button);
}
