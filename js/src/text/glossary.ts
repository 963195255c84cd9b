/** The explanations of figures, signs and controls. Python and the README read the same file. */
import glossary from "../../../src/ice_explorer/glossary.json" with { type: "json" };
import type { Convention, FeatureKind } from "../wire/protocol.ts";
import { isUnordered } from "./values.ts";

export type Term = keyof typeof glossary;

export interface Explanation {
  name: string;
  text: string;
}

/** The explanation of a term, in the first of these variants that the glossary has. */
export function explanation(term: Term, ...variants: readonly string[]): Explanation {
  const { name, text, variants: known = {} }: Explanation & { variants?: Record<string, string> } = glossary[term];
  const variant = variants.find((wanted) => wanted in known);
  return { name, text: variant === undefined ? text : known[variant]! };
}

/** The variants of a figure that apply to a kind of feature under a convention. */
export function variantsOf(kind: FeatureKind, convention: Convention): string[] {
  return [...(isUnordered(kind) ? ["unordered"] : []), ...(convention === "paper" ? ["paper"] : [])];
}
