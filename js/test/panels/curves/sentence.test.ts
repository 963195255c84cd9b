import { expect, test } from "vitest";
import { averageSentence, steepestSentence } from "../../../src/panels/curves/sentence.ts";
import { sceneOf } from "../../../src/plots/scene.ts";
import type { Curves } from "../../../src/wire/decode.ts";

/** Curves with these means; the sentence depends on nothing else. */
function curves(means: number[], more: Partial<Curves> = {}): Curves {
  const grid = Float64Array.from(means.keys());
  const base = {
    feature: "hum",
    kind: "numeric",
    levels: null,
    clock: [],
    offset: 0,
    grid,
    partialDependence: Float32Array.from(means),
  };
  return { ...base, ...more } as Curves;
}

test("the sentence names both ends of the mean, and whether it rises or falls", () => {
  expect(averageSentence(curves([2650, 4000, 5240]), "prediction")).toBe(
    "On average the prediction rises from 2,650 to 5,240 along hum.",
  );
  expect(averageSentence(curves([0.71, 0.5, 0.25]), "probability of 'cheap'")).toBe(
    "On average the probability of 'cheap' falls from 0.710 to 0.250 along hum.",
  );
});

test("a turn between the ends is named with its place", () => {
  expect(averageSentence(curves([2650, 5900, 5240, 5000]), "prediction")).toBe(
    "On average the prediction rises from 2,650 to 5,000 along hum, with a maximum of 5,900 at 1.",
  );
  expect(averageSentence(curves([5000, 4000, 6000, 5000]), "prediction")).toBe(
    "On average the prediction begins and ends at 5,000 along hum, with a minimum of 4,000 at 1 and a maximum of 6,000 at 2.",
  );
});

test("small effects on a large prediction keep the digits that tell them apart", () => {
  expect(averageSentence(curves([-0.5, 0, 0.5], { offset: 1_000_000 }), "prediction")).toBe(
    "On average the prediction rises from 999,999.50 to 1,000,000.50 along hum.",
  );
});

test("a mean that does not move says so", () => {
  expect(averageSentence(curves([3, 3, 3]), "prediction")).toBe(
    "On average the prediction is 3 whatever the value of hum.",
  );
  expect(averageSentence(curves([3]), "prediction")).toBe("On average the prediction is 3; hum has one value, 0.");
});

test("two values are compared, and levels without an order have a lowest and a highest one", () => {
  expect(averageSentence(curves([3000, 4000], { kind: "boolean" }), "prediction")).toBe(
    "On average the prediction is 3,000 for hum = false and 4,000 for true.",
  );
  const levels = ["dry", "damp", "wet"];
  expect(averageSentence(curves([300, 500, 200], { kind: "category", levels }), "prediction")).toBe(
    "On average the prediction is lowest for hum = wet, 200, and highest for damp, 500.",
  );
});

test("of slopes the sentence names the steepest part of the mean, up or down", () => {
  const one = {
    nLines: 1,
    nGrid: 4,
    values: Float32Array.of(0, 1, -4, -4),
    observed: Float64Array.of(0),
    missing: null,
  };
  const steep = curves([0, 1, -4, -4], { ...one, spread: new Float32Array(4), distances: null });
  const scene = sceneOf(steep, "d-ice", "min");
  expect(steepestSentence(scene)).toBe("The mean slope is steepest from 1 to 2: −5 per unit of hum.");
  expect(steepestSentence({ ...scene, kind: "ice" })).toBe("");
});
