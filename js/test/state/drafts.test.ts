/** Samples of the rows: whiskers, ranks that may move, and what is requested again when the rows change. */
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { clinic as kernel } from "../../dev/explorers.ts";
import { drafted, exactOf, sampled } from "../../dev/made_up.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { type Unlike, unlikeOn } from "../../src/state/curves.ts";
import { rankFeatures, whiskerOf } from "../../src/state/ranking.ts";
import { Reading } from "../../src/state/reading.ts";
import { SteadyOrder } from "../../src/state/steady_order.ts";
import type { Header, RankBy } from "../../src/wire/protocol.ts";
import { DecayProfile, ImpactTable } from "../../src/wire/tables.ts";
import { curvesOf } from "../curves.ts";
import { storeOf } from "../stores.ts";

const NONE = Number.NaN;

/** Features by their impact, with standard errors; without one they are exact. */
function rankedBy(figures: number[], errors: (number | null)[], rankBy: RankBy = "impact") {
  const header = {
    features: errors.map((error, at) => ({ name: `f${at}`, n_grid: 8, n_rows: error === null ? null : 100 })),
    profiles: ["in_distribution_impact", "in_distribution_impact_error"],
    convention: "step",
    prediction_sd: 4,
    models: [] as string[],
  } as Header;
  const pairs = figures.flatMap((value, at) => [value, errors[at] ?? NONE]);
  const impact = new ImpactTable(["impact", "impact_error"], Float32Array.from(pairs));
  const steps = [...figures.flatMap((value) => [value / 2, value]), ...errors.flatMap((error) => [0.5, error!])];
  const decays = { first: 0.5, step: 0.5, count: 2 };
  const profile = new DecayProfile(header.profiles, figures.length, decays, Float32Array.from(steps));
  return rankFeatures(new Reading({ header, impact, profile }, 0.5), rankBy);
}

test("whiskers are 1.96 standard errors to each side, not below 0, and missing where there is no error", () => {
  const [first, second] = rankedBy([10, 2], [1, 2]);
  expect(whiskerOf(first!)).toEqual([10 - 1.96, 10 + 1.96]);
  expect(whiskerOf(second!)).toEqual([0, 2 + 3.92]);
  expect(first!.draft).toEqual({ nRows: 100, margin: 1.96 });
  const [exact, unsure] = rankedBy([10, 2], [null, NONE]);
  expect([exact!.draft, whiskerOf(exact!)]).toEqual([null, null]);
  expect([unsure!.draft, whiskerOf(unsure!)]).toEqual([{ nRows: 100, margin: null }, null]);
});

test("whiskers follow the decay", () => {
  const [first] = rankedBy([10, 6], [1, 1], "in_distribution_impact");
  expect(first!.draft!.margin!).toBeCloseTo(0.98, 6);
});

test("any rank may move while one figure rests on a sample", () => {
  const moving = (...errors: (number | null)[]) =>
    rankedBy([10, 9, 1].slice(0, errors.length), errors).map(({ mayMove }) => mayMove);
  expect([moving(null, null, 0.1), moving(null, null)]).toEqual([
    [true, true, true],
    [false, false],
  ]);
});

describe("the order", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function steady() {
    const isHeld = signal(false);
    const order = new SteadyOrder(isHeld);
    onTestFinished(() => order.dispose());
    const of = (values: number[], choice = "impact", isComputing = true) => {
      const ranked = rankedBy(values, [1, 1, 1]);
      return order.of(ranked, choice, isComputing).map(({ index }) => index);
    };
    return { isHeld, of };
  }

  test("changes at most once per second while figures come in, and at once when they are complete", async () => {
    const { of } = steady();
    expect(of([3, 2, 1])).toEqual([0, 1, 2]);
    expect(of([1, 2, 3])).toEqual([0, 1, 2]);
    await vi.advanceTimersByTimeAsync(1100);
    expect(of([1, 2, 3])).toEqual([2, 1, 0]);
    expect(of([3, 2, 1])).toEqual([2, 1, 0]);
    expect(of([3, 2, 1], "impact", false)).toEqual([0, 1, 2]);
  });

  test("stays while it is held, and follows another choice all the same", () => {
    const { isHeld, of } = steady();
    of([3, 2, 1]);
    isHeld.value = true;
    expect(of([1, 2, 3], "impact", false)).toEqual([0, 1, 2]);
    expect(of([1, 2, 3], "heterogeneity")).toEqual([2, 1, 0]);
  });

  test("changes by itself once the second is over", async () => {
    const model = kernel.model();
    const exact = exactOf(model);
    const store = storeOf(drafted(model, { nRows: 60, nAll: 60 }));
    const names = () => store.ranking.value.map(({ name }) => name);
    const before = names();
    model.pushAll(sampled(exact, { nRows: 4, nAll: 60 }));
    expect(names()).toEqual(before);
    await vi.advanceTimersByTimeAsync(1100);
    expect(names()).not.toEqual(before);
    expect(store.ranking.value.map(({ rank }) => rank)).toEqual(names().map((_, place) => place + 1));
  });
});

describe("what is open", () => {
  const requests = (model: FakeModel, type: string) => model.sent.filter((sent) => sent.type === type).length;

  function opened(feature = "Age") {
    const model = kernel.model({ feature });
    const exact = exactOf(model);
    drafted(model, { nRows: 8, nAll: 60 });
    const store = storeOf(model);
    const sample = (nRows: number, nExact = 0) => model.pushAll(sampled(exact, { nRows, nAll: 60, nExact }));
    const ready = () => vi.waitFor(() => expect(store.picture.value.state).toBe("ready"));
    return { model, store, exact, sample, ready };
  }

  test("is requested again when its rows change, and the curves stay until the new ones are there", async () => {
    const { model, store, sample, ready } = opened();
    await ready();
    await vi.waitFor(() => expect(requests(model, "drivers")).toBe(1));
    const before = store.picture.value;
    store.pointed.value = 3;
    sample(16);
    expect([store.picture.value === before, requests(model, "curves")]).toEqual([true, 2]);
    await vi.waitFor(() => expect(store.picture.value).not.toBe(before));
    expect([store.picture.value.state, store.pointed.value]).toEqual(["ready", 3]);
    await vi.waitFor(() => expect(requests(model, "drivers")).toBe(2));
    expect(store.drivers.value.state).toBe("ready");
  });

  test("is not requested again when other features change", async () => {
    const { model, sample, ready } = opened("Age");
    sample(8, 1); // Age is exact
    await ready();
    const before = requests(model, "curves");
    sample(16, 3);
    sample(32, 5);
    expect(requests(model, "curves")).toBe(before);
  });

  test("says so where the new curves fail", async () => {
    const { model, store, sample, ready } = opened();
    await ready();
    model.answer = ({ id }) => ({ reply: { id, type: "error", message: "The model failed." } });
    sample(16);
    await vi.waitFor(() => expect(store.picture.value).toMatchObject({ state: "error", message: "The model failed." }));
  });

  test("rests on no rows while nothing is known, so that it is requested again then", () => {
    const store = storeOf(kernel.model(kernel.partial(3)));
    expect([store.nRowsOf("Age"), store.nRowsOf("Height")]).toEqual([null, 0]);
  });

  test("has other curves beside it, which stay and are requested again, too", async () => {
    const { model, store, sample, ready } = opened();
    await ready();
    store.curves.want(["BMI"]);
    const small = store.curves.small("BMI");
    await vi.waitFor(() => expect(small.value.state).toBe("ready"));
    const before = small.value;
    const asked = () => model.sent.filter((sent) => sent.type === "curves" && sent.feature === "BMI").length;
    sample(16);
    expect([asked(), small.value]).toEqual([2, before]);
    await vi.waitFor(() => expect(small.value).not.toBe(before));
    sample(16, 1);
    expect(asked()).toBe(2);
  });
});

test("flags of unlike values follow their rows and values to other curves", () => {
  const [grid, positions, flags] = [Float64Array.of(1, 2), Uint32Array.of(4, 7), Uint8Array.of(1, 0, 0, 1)];
  const unlike = { grid, positions, flags, shares: Float32Array.of(0.5, 0.5) } as Unlike;
  const flagsOf = (rows: number[], values: number[]) =>
    unlikeOn(
      unlike,
      curvesOf({ positions: Uint32Array.from(rows), grid: Float64Array.from(values), n_grid: values.length }),
    ).flags;
  expect(flagsOf([7, 5, 4], [1, 2])).toEqual(Uint8Array.of(0, 1, 0, 0, 1, 0));
  expect(flagsOf([7], [2, 3])).toEqual(Uint8Array.of(1, 0));
});
