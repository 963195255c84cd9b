import { expect, test } from "vitest";
import { pearsonAndRank, type Shares, sentenceOf } from "../../../src/panels/map/shares.ts";

test("Pearson compares values, rank correlation their order; equal values share a rank", () => {
  const { pearson, rank } = pearsonAndRank([1, 2, 3, 10], [1, 4, 9, 100])!;
  expect(rank).toBeCloseTo(1, 12);
  expect(pearson).toBeCloseTo(0.991127, 6); // numpy.corrcoef
  expect(pearsonAndRank([1, 2, 2, 5], [2, 1, 3, 4])!.rank).toBeCloseTo(0.632456, 6); // scipy.stats.spearmanr
  expect(pearsonAndRank([1, 1, 1], [1, 2, 3])).toBeNull();
});

const shares: Shares = {
  impactTerm: "impact",
  term: "importance_shap",
  impact: [60, 40, 0],
  importance: [10, 35.06, 54.94],
  plain: [1, 3.506, 5.494],
  correlations: { pearson: -0.714, rank: -1 },
  farthest: 2,
};
const nameOf = (index: number): string => ["a", "b", "c"][index]!;

test("the sentence names both correlations and the largest difference", () => {
  expect(sentenceOf(shares, nameOf)).toBe(
    "Correlation with impact: Pearson −0.71, rank −1.00. Largest difference: c, 0.0\u00a0% of impact, 54.9\u00a0% of mean |SHAP|.",
  );
  expect(sentenceOf({ ...shares, correlations: null }, nameOf)).toMatch(/^Largest difference: c, /);
  expect(sentenceOf({ ...shares, farthest: null }, nameOf)).toBe("");
});
