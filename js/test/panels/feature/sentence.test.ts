import { expect, test } from "vitest";
import { missingSentence, steepestSentence } from "../../../src/panels/feature/sentence.tsx";
import type { Scene } from "../../../src/plot/scene.ts";

test("of slopes the sentence names the steepest part of the mean, up or down", () => {
  const curves = { kind: "numeric", feature: "hum", levels: null, clock: [], grid: Float64Array.of(0, 1, 2, 3) };
  const [x, mean] = [Float64Array.of(0, 1, 1, 2, 2, 3), Float32Array.of(1, 1, -5, -5, 0, 0)];
  const scene = { kind: "d-ice", curves, x, mean } as unknown as Scene;
  expect(steepestSentence(scene)).toBe("The mean slope is steepest from 1 to 2: −5 per unit of hum.");
  expect(steepestSentence({ ...scene, mean: new Float32Array(6) })).toBe("");
  expect(steepestSentence({ ...scene, kind: "ice" })).toBe("");
});

test("what a missing value does is told where it is more than a step does", () => {
  expect(missingSentence("age", 0.93, 0.03, 50)).toBe(
    "If age is missing, the prediction changes by 0.93 on average, up or down.",
  );
  expect(missingSentence("age", 0.03, 0.93, 1)).toBe("");
  expect(missingSentence("age", Number.NaN, 0, 1)).toBe("");
  expect(missingSentence("age", 0.93, 0.03, 94)).toBe(""); // hardly anything beside the largest impact
});
