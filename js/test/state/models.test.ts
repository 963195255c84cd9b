import { expect, test, vi } from "vitest";
import { fourModels as four, twoModels as two } from "../../dev/explorers.ts";
import { mostApart } from "../../src/state/models.ts";
import type { Store } from "../../src/state/store.ts";
import { storeOf } from "../stores.ts";

/** Waits for the curves of so many models; null is the open one alone. */
const drawn = (store: Store, n: number | null) =>
  vi.waitFor(() => {
    const { picture } = store;
    expect([picture.value.state, picture.value.loaded?.models?.length ?? null]).toEqual(["ready", n]);
    return picture.value.loaded!;
  });
const asked = (model: ReturnType<typeof two.model>) =>
  model.sent.flatMap((sent) => (sent.type === "curves" ? [`${sent.model} ${sent.feature}`] : []));

test("the curves of every model are requested, and coloured by model in the order of the header", async () => {
  const model = two.model({ feature: "Age", model: "trees" });
  const { curves, models, colors } = await drawn(storeOf(model), 2);
  expect(asked(model)).toEqual(["logistic Age", "trees Age"]);
  expect(models?.map((of) => of.model)).toEqual([1, 0]);
  expect(models?.[0]?.curves).toBe(curves);
  expect(colors?.scale).toMatchObject({ column: "Model", levels: ["logistic", "trees"], counts: [200, 200] });
  expect(Array.from(colors!.values)).toEqual([...Array(200).fill(1), ...Array(200).fill(0)]);
});

test("a column to colour by, and nothing, show the open model alone; both are back without a request", async () => {
  const model = two.model({ feature: "Age" });
  const store = storeOf(model);
  await drawn(store, 2);
  store.colorAs("Smoker", "value");
  expect((await drawn(store, null)).colors?.scale.column).toBe("Smoker");
  store.showModels(false);
  await vi.waitFor(() => expect(store.loaded.value).toMatchObject({ colors: null, models: null }));
  expect(model.get("_view")).toMatchObject({ models: false });
  store.showModels(true);
  await drawn(store, 2);
  expect(asked(model)).toEqual(["logistic Age", "trees Age"]);
});

test("another open model needs no other curves, and the figures become its own", async () => {
  const model = two.model({ feature: "Age" });
  const store = storeOf(model);
  const { curves, models } = await drawn(store, 2);
  const figure = store.opened!.value;
  const others = store.opened!.models;
  store.set("model", "trees");
  expect(model.saved).toEqual([["model", "trees"]]);
  await vi.waitFor(() => expect(store.opened!.value).not.toBe(figure));
  const shown = await drawn(store, 2);
  expect(shown.curves).toBe(models![1]!.curves);
  expect(shown.models![1]!.curves).toBe(curves);
  expect(asked(model).length).toBe(2);
  expect(store.opened!.models).toEqual(others);
  expect(store.outputName.value).toBe("probability of readmitted (trees)");
});

test("every feature has the figure and the rank of each model, at the decay of the slider", async () => {
  const store = storeOf(two.model({ feature: "Age" }));
  const of = (decay: number) => {
    store.drag("decay", decay);
    return store.ranking.value.map(({ name, value, rank, models }) => ({ name, value, rank, models: models! }));
  };
  const [near, far] = [of(0.2), of(1)];
  for (const { value, rank, models } of [...near, ...far]) {
    expect(models.length).toBe(2);
    expect(models[0]).toMatchObject({ value, rank });
  }
  expect(near[0]!.models[1]!.value).not.toBe(far[0]!.models[1]!.value);
  const ranks = far.map(({ models }) => models[1]!.rank);
  expect([...ranks].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("ranked by disagreement the features have one figure, whichever model is open, and no intervals", async () => {
  const rankings = ["logistic", "trees"].map((open) => {
    const model = two.model({ model: open, rank_by: "disagreement", ci: 0.95 });
    const store = storeOf(model);
    expect(store.whiskers.value?.state).not.toBe("ready");
    expect(model.sent.map(({ type }) => type)).not.toContain("intervals");
    return store.ranking.value.map(({ name, value, models, tick, apart }) => ({ name, value, models, tick, apart }));
  });
  expect(rankings[0]).toEqual(rankings[1]);
  expect(rankings[0]![0]!.value).toBeGreaterThan(0);
  for (const { models, tick, apart } of rankings[0]!) expect([models, tick, apart]).toEqual([null, null, [0, 1]]);
});

test("of several models the two that disagree most are named", () => {
  const store = storeOf(four.model({ rank_by: "disagreement" }));
  const { index, apart, value } = store.ranking.value[0]!;
  const reading = store.reading.value!;
  const of = ([a, b]: [number, number]) => reading.get(index, `disagreement_${a}_${b}`);
  const pairs = [0, 1, 2].flatMap((a) => [1, 2, 3].filter((b) => b > a).map((b): [number, number] => [a, b]));
  expect(of(apart!)).toBe(Math.max(...pairs.map(of)));
  expect(of(apart!)).toBe(value);
  expect(mostApart(reading, index)).toEqual(apart);
});

test("all models are drawn with the same rows", async () => {
  const model = two.model({ feature: "Age", max_lines: 10, color_by: "Smoker", selection: [3] });
  const store = storeOf(model);
  expect((await drawn(store, null)).curves.positions).toContain(3);
  store.clearSelection();
  store.showModels(true);
  const [one, other] = (await drawn(store, 2)).models!;
  expect(one!.curves.positions).toEqual(other!.curves.positions);
});
