/** Names where there may be no room for all of them. */
import { html } from "./element.ts";

/** A text that begins with a name: what others have in common with it gives way first. */
export function partedText(text: string, at: number | undefined): (HTMLElement | string)[] {
  if (at === undefined || at >= text.length) return [text];
  return [html("span", { class: "ice-shared" }, text.slice(0, at)), html("span", { class: "ice-own" }, text.slice(at))];
}
