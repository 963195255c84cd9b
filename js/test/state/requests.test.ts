/** What is computed on request: intervals, interactions, heat maps and what-ifs; `feed.test.ts` has when. */
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { intervalsFeed, type Shown } from "../../src/state/intervals.ts";
import { Joint, type Pair } from "../../src/state/joint.ts";
import { largestChange, type Question, whatIfFeed, whatIfOf } from "../../src/state/what_if.ts";
import { type Client, KernelError } from "../../src/wire/client.ts";
import type { FeatureMoves, InteractionsBody } from "../../src/wire/protocol.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const later = () => vi.advanceTimersByTimeAsync(1000);

/** A client whose replies come when the test says so. */
class SlowClient {
  readonly asked: unknown[] = [];
  #settle: [resolve: (reply: unknown) => void, reject: (error: Error) => void] = [() => {}, () => {}];
  constructor(readonly hasKernel = true) {}
  request(request: unknown): Promise<unknown> {
    this.asked.push(request);
    return new Promise((...settle) => {
      this.#settle = settle;
    });
  }
  async answer(body: unknown): Promise<void> {
    await later();
    this.#settle[0](body);
    await later();
  }
  async fail(error: Error): Promise<void> {
    await later();
    this.#settle[1](error);
    await later();
  }
}

test("intervals are complete once the rows of all features are drawn", async () => {
  const client = new SlowClient();
  const request = {
    rank_by: "in_distribution_impact",
    level: 0.9,
    decay: 0.5,
    convention: "step",
    unit: "prediction",
  } as const;
  const shown: Shown = { key: "at 0.5", ...request };
  const feed = intervalsFeed(client as unknown as Client, signal(shown));
  onTestFinished(() => feed.dispose());
  await client.answer({ n_known: 1, n_features: 2, intervals: null });
  expect(feed.of("at 0.5")).toEqual({ state: "computing", share: 0.5, body: null });
  const [low, high, rank_low, rank_high] = [1, 2, 3, 4].map((end) => Float64Array.of(end, end));
  const intervals = { low, high, rank_low, rank_high, tied: [[0, 1]] };
  await client.answer({ n_known: 2, n_features: 2, intervals });
  expect(client.asked).toEqual([1, 2].map(() => ({ type: "intervals", ...request })));
  expect(feed.of("at 0.5")).toMatchObject({
    state: "ready",
    body: { level: 0.9, low: Float64Array.of(1, 1), rank_high: Float64Array.of(4, 4), tied: [[0, 1]] },
  });
});

function jointly() {
  const client = new SlowClient();
  const explained = signal("one output");
  const pair = signal<Pair | null>(null);
  const joint = new Joint(client as unknown as Client, explained, signal(null), pair);
  onTestFinished(() => joint.dispose());
  return { client, explained, pair, joint };
}

const interactions = (done: number): InteractionsBody => ({
  n_rows: 40,
  n_observations: 300,
  done,
  total: 3,
  features: [],
  pairs: [],
});

test("interactions are requested from a start to a stop, once for each output", async () => {
  const { client, explained, joint } = jointly();
  await later();
  expect([joint.interactions.value, client.asked]).toEqual([{ state: "idle", share: 0, body: null }, []]);
  joint.start();
  await client.answer(interactions(1));
  expect(joint.interactions.value).toEqual({ state: "computing", share: 1 / 3, body: interactions(1) });
  joint.stop();
  await client.answer(interactions(2));
  expect([joint.interactions.value.state, client.asked.length]).toEqual(["idle", 2]);
  joint.start();
  await client.fail(new KernelError("The model failed."));
  expect(joint.interactions.value).toMatchObject({ state: "error", share: 2 / 3, message: "The model failed." });
  joint.start();
  await client.answer(interactions(3));
  explained.value = "another output";
  expect(joint.interactions.value.state).toBe("idle");
  explained.value = "one output";
  joint.start();
  await later();
  expect([joint.interactions.value.state, client.asked.length]).toEqual(["ready", 4]);
});

test("the open pair is requested until its heat map is known; another one takes its place", async () => {
  const { client, pair, joint } = jointly();
  const axis = (feature: string, place: number) => {
    const values = Float64Array.of(place);
    return { feature, kind: "numeric", levels: null, clock: [], grid: values, observed: values };
  };
  const two_way = {
    first: axis("a", 0),
    second: axis("c", 5),
    n_rows: 1,
    n_observations: 1,
    values: Float64Array.of(3),
    near: Uint32Array.of(4),
  };
  expect(joint.twoWay.value).toBeNull();
  pair.value = { first: "a", second: "b" };
  await client.answer({ share_done: 0.5, two_way: null });
  expect(joint.twoWay.value).toEqual({ state: "computing", share: 0.5, body: null });
  pair.value = { first: "a", second: "c" };
  await client.answer({ share_done: 0.75, two_way: null });
  await client.answer({ share_done: 1, two_way });
  expect(client.asked).toEqual(["b", "b", "c"].map((second) => ({ type: "two_way", first: "a", second })));
  expect(joint.twoWay.value!.body).toEqual(two_way);
});

const moved = (feature: string): FeatureMoves => ({
  feature,
  observed: "1",
  moves: [
    { distance: 0.5, place: 2, value: "2", change: 3 },
    { distance: 2.4, place: 4, value: "4", change: -5 },
    { distance: null, place: 9, value: "9", change: 8 },
  ],
});

test("the what-if of a row is requested for all features, as many at a time as the kernel answers", async () => {
  const client = new SlowClient();
  const question: Question = { key: "3", row: 3, features: ["a", "b", "c", "d", "e"] };
  const feed = whatIfFeed(client as unknown as Client, signal(question));
  onTestFinished(() => feed.dispose());
  await client.answer({ features: ["a", "b"].map(moved) });
  await client.answer({ features: ["c"].map(moved) });
  await client.fail(new KernelError("The model failed."));
  expect(client.asked).toEqual(
    ["abcde", "cde", "de"].map((names) => ({ type: "what_if", position: 3, features: [...names] })),
  );
  const known = whatIfOf(question, feed.of("3"));
  expect([[...known.moves.keys()], known.row, known.total, known.problem]).toEqual([
    ["a", "b", "c"],
    3,
    5,
    "The model failed.",
  ]);
});

test("a page without a kernel requests no what-if", async () => {
  const client = new SlowClient(false);
  const feed = whatIfFeed(client as unknown as Client, signal({ key: "0", row: 0, features: ["a"] }));
  onTestFinished(() => feed.dispose());
  await later();
  expect(client.asked).toEqual([]);
});

test.each([
  [0.2, null],
  [0.3, 3],
  [0.75, -5],
  [0.99, -5],
  [1, 8],
])("with decay %d the largest change within reach is %s", (decay, change) => {
  expect(largestChange(moved("a"), decay)?.change ?? null).toBe(change);
});
