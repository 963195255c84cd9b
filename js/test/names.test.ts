/** Words for readers in place of the names of `explain`. */
import { expect, test } from "vitest";
import { responseName } from "../src/names.ts";

test.each([
  ["predict_proba", "probability"],
  ["decision_function", "score (decision function)"],
  ["predict", "prediction"],
  ["log_odds", "log-odds"],
  ["callable", "callable"],
])("%s is called %s", (response, name) => {
  expect(responseName(response)).toBe(name);
});
