/** Words for readers in place of the names of `explain`. */
import { expect, test } from "vitest";
import { partings, responseName, unitIn, withTargetName } from "../../src/text/names.ts";

test.each([
  ["predict_proba", "probability"],
  ["decision_function", "score (decision function)"],
  ["predict", "prediction"],
  ["log_odds", "log-odds"],
  ["callable", "callable"],
])("%s is called %s", (response, name) => {
  expect(responseName(response)).toBe(name);
});

test("names that begin alike are parted at the word where they begin to differ", () => {
  const names = [
    "mean of the channel 101 (µg)",
    "mean of the channel 102 (µg)",
    "age",
    "mean concavity",
    "mean concave",
  ];
  const parted = [...partings(names)].map(([name, at]) => [name.slice(0, at), name.slice(at)]);
  expect(parted).toEqual([
    ["mean of the channel ", "101 (µg)"],
    ["mean of the channel ", "102 (µg)"],
  ]);
});

test("a name that goes on where another ends, or has no words, is parted at the difference", () => {
  expect(
    partings(["bloodpressureofthemorning", "bloodpressureoftheevening", "ab"]).get("bloodpressureofthemorning"),
  ).toBe(18);
  expect(partings(["blood pressure", "blood pressure, later"]).get("blood pressure, later")).toBe(14);
  expect(partings([])).toEqual(new Map());
});

test("the observed target has the name of y; a column of X that is called y keeps its own", () => {
  const rows = {
    columns: ["prediction", "y", "residual", "y"],
    n_outcomes: 3,
    positions: [4],
    rows: [["2", "3", "1", "0"]],
  };
  expect(withTargetName(rows, "cnt").columns).toEqual(["prediction", "cnt", "residual", "y"]);
  expect(withTargetName(rows, "")).toBe(rows);
});

test.each([
  ["flipper_length_mm", "mm"],
  ["Area (km²)", "km²"],
  ["wind [km/h]", "km/h"],
  ["income (log)", ""],
  ["farm", ""],
])('the unit of %s is "%s"', (name, unit) => expect(unitIn(name)).toBe(unit));
