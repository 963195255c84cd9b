/** What a reader can choose, and the sentence that says why not. */
import { describe, expect, test } from "vitest";
import { isDense, offersOf, offersOfAll, type Situation } from "../../src/store/available_choices.ts";
import type { Curves } from "../../src/wire/decode.ts";

const curves = (of: Partial<Curves> = {}): Curves =>
  ({ kind: "numeric", nLines: 300, target: new Float64Array(300), ...of }) as Curves;
const situation = (of: Partial<Situation> = {}): Situation => ({
  curves: curves(),
  kind: "ice",
  response: "predict_proba",
  answers: () => true,
  ...of,
});

describe("what is offered", () => {
  test("with ICE of numbers: all but the range of slopes", () => {
    expect(offersOf(situation())).toEqual({
      density: null,
      full_slopes: undefined,
      shared_y: null,
      target: null,
      rug: null,
      partial_dependence: null,
      ale: null,
      m_plot: null,
      correlated: null,
      unlike: null,
    });
  });

  test("of all features in small: the shared axis alone, and not for slopes", () => {
    const rest = { density: undefined, full_slopes: undefined, target: undefined, rug: undefined };
    expect(offersOfAll("c-ice")).toEqual({ ...rest, shared_y: null });
    const why = "Slopes have different units, so a shared axis is not available.";
    expect(offersOfAll("d-ice")).toEqual({ ...rest, every_step: null, shared_y: why });
  });

  test("no effects for slopes, and on a saved page what it was saved with", () => {
    const slopes = offersOf(situation({ kind: "d-ice" }));
    const why = "Only available for ICE and c-ICE, which have the unit of the prediction.";
    expect([slopes.ale, slopes.m_plot, slopes.correlated, slopes.unlike]).toEqual([why, why, null, null]);
    const unordered = offersOf(situation({ kind: "d-ice", curves: curves({ kind: "category" }) }));
    expect(unordered.ale).toBeNull(); // its ICE is shown
    const saved = offersOf(situation({ answers: (type) => type === "correlated" }));
    const none = "Not on this page: switch it on in the notebook before you save.";
    expect([saved.ale, saved.m_plot, saved.correlated, saved.unlike]).toEqual([none, none, null, none]);
  });

  test("before a feature is open: nothing yet", () => {
    const none = "Open a feature first.";
    expect(offersOf(situation({ curves: null }))).toMatchObject({ density: none, target: none, rug: none });
  });

  test("the target only where a prediction can be compared with it", () => {
    const offer = (of: Partial<Situation>) => offersOf(situation(of)).target;
    expect(offer({ curves: curves({ target: null }) })).toBe("Pass y to the explorer: ICEExplorer(model, X, y).");
    expect(offer({ kind: "c-ice" })).toBe("Only available for ICE, which draws predictions.");
    expect(offer({ kind: "d-ice" })).toBe("Only available for ICE, which draws predictions.");
    expect(offer({ response: "log_odds" })).toBe("The log-odds of a class cannot be observed.");
    expect(offer({ response: "decision_function" })).toBe("The target is not on the scale of the decision function.");
    expect(offer({ response: "predict" })).toBeNull();
    expect(offer({ kind: "d-ice", curves: curves({ kind: "category" }) })).toBeNull(); // its ICE is shown
  });

  test("slopes share no axis, and have a range of their own", () => {
    const offers = offersOf(situation({ kind: "d-ice" }));
    expect(offers.shared_y).toBe("Slopes have different units, so a shared axis is not available.");
    expect(offers.full_slopes).toBeNull();
  });

  test("slopes of every step where there are more than bins", () => {
    const offer = (nGrid: number) => offersOf(situation({ kind: "d-ice", curves: curves({ nGrid }) })).every_step;
    expect(offer(22)).toBeNull();
    expect(offer(21)).toBe("Every step is already drawn.");
    expect(offersOf(situation({ kind: "ice", curves: curves({ nGrid: 22 }) })).every_step).toBeUndefined();
  });

  test("on levels there are neither shades nor ticks, and many rows have no ticks", () => {
    const levels = offersOf(situation({ curves: curves({ kind: "group" }) }));
    expect(levels.density).toBe("Not available for levels: every row is already a dot.");
    expect(levels.rug).toBe("Not available for levels: every row is already a dot.");
    expect(offersOf(situation({ curves: curves({ nLines: 500 }) })).rug).toBeNull();
    expect(offersOf(situation({ curves: curves({ nLines: 501 }) })).rug).toBe("Not available for more than 500 rows.");
  });
});

test("lines become their density beyond 2,000, or when asked for", () => {
  const offers = offersOf(situation());
  expect(isDense("auto", offers, 2000)).toBe(false);
  expect(isDense("auto", offers, 2001)).toBe(true);
  expect(isDense("lines", offers, 5000)).toBe(false);
  expect(isDense("density", offers, 3)).toBe(true);
  expect(isDense("density", offersOf(situation({ curves: curves({ kind: "group" }) })), 5000)).toBe(false);
});
