import { expect, test } from "vitest";
import { folded, matches } from "../../src/text/search.ts";

const names = ["Créatinine", "creatine kinase", "GRÖSSE", "Straße", "体重（公斤）", "x^2"].map(folded);
const found = (query: string) => matches(names, query).flatMap((is, at) => (is ? [at] : []));

test("neither case nor accents matter, in the name or in the query", () => {
  expect(found("CREAT")).toEqual([0, 1]);
  expect(found("créat")).toEqual([0, 1]);
  expect(found("größe")).toEqual([2]);
  expect(found("grosse")).toEqual([2]);
  expect(found("strasse")).toEqual([3]);
  expect(found("ﬁ")).toEqual([]);
});

test("any part of a name is found, and signs are letters like others", () => {
  expect(found("kinase")).toEqual([1]);
  expect(found("公斤")).toEqual([4]);
  expect(found("^2")).toEqual([5]);
  expect(found(".*")).toEqual([]);
});

test("nothing is asked for: all are found", () => {
  expect(found("  ")).toEqual([0, 1, 2, 3, 4, 5]);
});
