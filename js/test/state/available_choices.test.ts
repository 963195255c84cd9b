/** What a reader can choose, and the sentence that says why not. */
import { expect, test } from "vitest";
import { type Offers, offersOf, type Situation } from "../../src/state/available_choices.ts";
import type { CurvesBody } from "../../src/wire/protocol.ts";

const curves = (of: Partial<CurvesBody> = {}): CurvesBody =>
  ({ kind: "numeric", n_lines: 300, target: new Float64Array(300), ...of }) as CurvesBody;
const situation = (of: Partial<Situation> = {}): Situation => ({
  curves: curves(),
  kind: "ice",
  response: "predict_proba",
  answers: () => true,
  ...of,
});

test("with ICE of numbers all is offered", () => {
  const all = ["target", "ale", "unlike"];
  expect(offersOf(situation())).toEqual(Object.fromEntries(all.map((name) => [name, null])));
});

const FEATURE = "Open a feature first.";
const PREDICTION = "Only available for ICE and c-ICE, which have the unit of the prediction.";
const SAVED = "Not on this page: switch it on in the notebook before you save.";
const answersNone = { answers: () => false };
const levels = { curves: curves({ kind: "category" }) };

test.each<[string, Partial<Situation>, Partial<Offers>]>([
  ["before a feature is open", { curves: null }, { target: undefined, ale: FEATURE, unlike: FEATURE }],
  ["slopes", { kind: "d-ice" }, { ale: PREDICTION, unlike: null }],
  ["slopes", { kind: "d-ice" }, { target: undefined }],
  ["slopes of levels, whose ICE is shown", { kind: "d-ice", ...levels }, { ale: null, target: null }],
  ["changes", { kind: "c-ice" }, { target: undefined }],
  ["a saved page", { ...answersNone }, { ale: SAVED, unlike: SAVED }],
  ["a target that was not passed", { curves: curves({ target: null }) }, { target: undefined }],
  ["log-odds", { response: "log_odds" }, { target: "The log-odds of a class cannot be observed." }],
  [
    "decisions",
    { response: "decision_function" },
    {
      target: "The target is not on the scale of the decision function.",
    },
  ],
  ["predictions", { response: "predict" }, { target: null }],
])("what is offered with %s: %o", (_name, of, wanted) => {
  const offers = offersOf(situation(of));
  expect(Object.fromEntries(Object.keys(wanted).map((name) => [name, offers[name as keyof Offers]]))).toEqual(wanted);
});
