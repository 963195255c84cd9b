/** Options of a menu. */
import { ifChanged } from "./changed.ts";
import { html } from "./element.ts";

/** Returns a function that offers options by value and label; the same options again change nothing. */
export const optionsIn = (select: HTMLSelectElement): ((options: readonly [string, string][]) => void) =>
  ifChanged((options) => select.replaceChildren(...options.map(([value, label]) => html("option", { value }, label))));
