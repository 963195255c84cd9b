/** The message about an export, announced by screen readers: the path of the file, or the error. */
import { html, setText } from "../ui/element.ts";
import { copyText } from "./clipboard.ts";
import type { Outcome } from "./save.ts";

/** How long a message without a button stays. */
const STAYS_MS = 8000;

export class ExportNews {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #text = html("span");
  readonly #path = html("span", { class: "ice-path", "data-test": "export-path" });
  readonly #copy = html("button", { type: "button", class: "ice-link", "data-test": "copy-path" }, "Copy path");
  readonly #dismiss = html("button", { type: "button", class: "ice-news-close", "aria-label": "Dismiss" }, "×");
  readonly #result = html(
    "p",
    { class: "ice-news-text", role: "status", "data-test": "export-result" },
    this.#text,
    this.#path,
  );
  readonly #problem = html("p", {
    class: "ice-news-text ice-problem",
    role: "alert",
    "data-test": "export-problem",
    hidden: true,
  });
  readonly node = html(
    "div",
    { class: "ice-news", "data-test": "export-news" },
    html("div", { class: "ice-news-card" }, this.#result, this.#problem, this.#copy, this.#dismiss),
  );

  /** `refocus` moves the focus after the message is dismissed. */
  constructor(aborted: AbortSignal, refocus: () => void) {
    const options = { signal: aborted };
    this.clear();
    aborted.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    this.#copy.addEventListener("click", () => void this.#copyPath(), options);
    this.#dismiss.addEventListener(
      "click",
      () => {
        this.clear();
        refocus();
      },
      options,
    );
  }

  clear(): void {
    this.#show("", null, "");
  }

  tell({ text, path }: Outcome): void {
    this.#show(text, path, "");
    if (path === null) this.#timer = setTimeout(() => this.clear(), STAYS_MS);
  }

  fail(message: string): void {
    this.#show("", null, message);
  }

  #show(text: string, path: string | null, problem: string): void {
    clearTimeout(this.#timer);
    setText(this.#text, path === null ? text : `${text} `);
    setText(this.#path, path ?? "");
    this.#copy.hidden = path === null;
    setText(this.#copy, "Copy path");
    setText(this.#problem, problem);
    this.#problem.hidden = problem === "";
    this.#dismiss.hidden = text === "" && problem === "";
    // The live region is never hidden: some screen readers ignore a region that appears together with its text.
    this.node.toggleAttribute("data-said", !this.#dismiss.hidden);
  }

  async #copyPath(): Promise<void> {
    const isCopied = await copyText(this.#path.textContent ?? "");
    setText(this.#copy, isCopied ? "Copied" : "The browser does not let this page use the clipboard");
  }
}
