/** Where ALE is on each kind of plot; `contract.test.ts` compares the numbers with those of figures. */
import { expect, test } from "vitest";
import { aleLine } from "../../src/plot/effects.ts";
import type { Scene } from "../../src/plot/scene.ts";
import { valueRange } from "../../src/plot/value_range.ts";
import type { EffectsBody, FeatureKind } from "../../src/wire/protocol.ts";

const effects: EffectsBody = {
  feature: "a",
  grid: Float64Array.of(0, 2, 4),
  ale: Float32Array.of(-1, 0, 1),
  mean_prediction: 10,
};

const scene = (kind: Scene["kind"], anchoredAt: number | null = null, of: FeatureKind = "numeric"): Scene =>
  ({ kind, base: kind === "ice" ? 7 : 0, anchoredAt, curves: { kind: of }, extent: [-1, 1] }) as Scene;

const NONE = [Number.NaN, Number.NaN, Number.NaN];

test.each<[string, Scene, number[]]>([
  ["on ICE: ALE is shifted to the mean prediction", scene("ice"), [2, 3, 4]],
  ["on c-ICE: it is 0 at the anchor", scene("c-ice", 4), [-2, -1, 0]],
  ["on c-ICE, anchored between grid values", scene("c-ice", 1), [-0.5, 0.5, 1.5]],
  ["on c-ICE, anchored before them", scene("c-ice", -5), [0, 1, 2]],
  ["on c-ICE, anchored beyond them", scene("c-ice", 9), [-2, -1, 0]],
  ["where each curve is 0 at its observed value: its mean is 0", scene("c-ice"), [-1, 0, 1]],
  ["anchored at a level", scene("c-ice", 2, "category"), [-1, 0, 1]],
  ["anchored at a level that no observation has", scene("c-ice", 1, "category"), NONE],
])("%s", (_where, of, ale) => {
  expect(Array.from(aleLine(of, effects)!.values)).toEqual(ale);
});

test("slopes have none", () => {
  expect(aleLine(scene("d-ice"), effects)).toBeNull();
});

test("the value axis reaches over them", () => {
  const of = scene("ice");
  const choices = { target: null, ale: aleLine(of, effects) };
  expect(valueRange(of, choices)).toMatchObject({ low: -1, high: 4 });
  const none = { ...choices, ale: aleLine(scene("c-ice", 1, "category"), effects) };
  expect(valueRange(of, none)).toMatchObject({ low: -1, high: 1 });
});
