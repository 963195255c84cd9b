/** Names that are shortened where there is not enough room. */
import { html } from "./element.ts";

/** Splits a text at the end of the beginning that it shares with other names, which is shortened first. */
export function partedText(text: string, at: number | undefined): (HTMLElement | string)[] {
  if (at === undefined || at >= text.length) return [text];
  return [html("span", { class: "ice-shared" }, text.slice(0, at)), html("span", { class: "ice-own" }, text.slice(at))];
}
