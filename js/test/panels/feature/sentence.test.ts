/** `drawn.test.ts` has the sentence about the mean. */
import { expect, test } from "vitest";
import { averageSentence, missingSentence, steepestSentence } from "../../../src/panels/feature/sentence.tsx";
import type { Scene } from "../../../src/plot/scene.ts";
import type { CurvesBody } from "../../../src/wire/protocol.ts";

test("of slopes the sentence names the steepest part of the mean, up or down", () => {
  const curves = { kind: "numeric", feature: "hum", levels: null, clock: [], grid: Float64Array.of(0, 1, 2, 3) };
  const [x, mean] = [Float64Array.of(0, 1, 1, 2, 2, 3), Float32Array.of(1, 1, -5, -5, 0, 0)];
  const scene = { kind: "d-ice", curves, x, mean } as unknown as Scene;
  expect(steepestSentence(scene)).toBe("The mean slope is steepest from 1 to 2: −5 per unit of hum.");
  expect(steepestSentence({ ...scene, mean: new Float32Array(6) })).toBe("");
  expect(steepestSentence({ ...scene, kind: "ice" })).toBe("");
});

test("what a missing value does is told where it is more than a step does", () => {
  expect(missingSentence("age", 0.93, 0.03)).toBe(
    "If age is missing, the prediction changes by 0.93 on average, up or down.",
  );
  expect(missingSentence("age", 0.03, 0.93)).toBe("");
  expect(missingSentence("age", Number.NaN, 0)).toBe("");
});

test("small effects on a large prediction keep the digits that tell them apart", () => {
  const mean = Float32Array.of(-0.5, 0, 0.5);
  const axis = { feature: "hum", kind: "numeric", levels: null, clock: [], grid: Float64Array.of(0, 1, 2) };
  expect(
    averageSentence({ ...axis, partial_dependence: mean, offset: 1_000_000 } as unknown as CurvesBody, "prediction"),
  ).toBe("On average the prediction rises from 999,999.50 to 1,000,000.50 along hum.");
});
