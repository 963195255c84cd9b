import { expect, test } from "vitest";
import glossary from "../../../src/ice_explorer/glossary.json" with { type: "json" };
import { explanation, type Term, variantsOf } from "../../src/text/glossary.ts";

test("a figure has the sentence of its kind of feature, or of its convention, or the one for all", () => {
  expect(explanation("impact", ...variantsOf("numeric", "step"))).toEqual({
    name: "impact",
    text: glossary.impact.text,
  });
  expect(explanation("impact", ...variantsOf("group", "step")).text).toBe(glossary.impact.variants.unordered);
  expect(explanation("direction", ...variantsOf("numeric", "paper")).text).toBe(glossary.direction.variants.paper);
  expect(explanation("support", ...variantsOf("category", "paper")).text).toBe(glossary.support.text);
});

test("every explanation is made of whole sentences, of 75 words at most", () => {
  for (const term of Object.keys(glossary) as Term[]) {
    const {
      name,
      text,
      variants = {},
    }: { name: string; text: string; variants?: Record<string, string> } = glossary[term];
    expect(name, term).toMatch(/\S/);
    for (const sentence of [text, ...Object.values(variants)]) {
      expect(sentence, term).toMatch(/^[A-Zλσ▲].*\.$/s);
      expect(sentence.split(/\s+/).length, term).toBeLessThanOrEqual(75);
    }
  }
});
