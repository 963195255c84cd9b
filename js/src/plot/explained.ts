/** Attributes of an explained term, which the Tab key reaches. */
import type { Explanation } from "../text/glossary.ts";
import { hint } from "../ui/components.tsx";

export const explainedBy = ({ name, text }: Explanation, names = "") => ({
  class: `ice-explained ${names}`.trimEnd(),
  tabIndex: 0,
  ...hint(text, name),
});
