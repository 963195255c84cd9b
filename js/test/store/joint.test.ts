import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Joint, type Pair } from "../../src/store/joint.ts";
import { Cancelled, type Client, KernelError } from "../../src/wire/client.ts";
import type { ImportanceBody, InteractionsBody, Measure } from "../../src/wire/protocol.ts";

const body = (done: number): InteractionsBody => ({
  n_rows: 40,
  n_observations: 300,
  done,
  total: 3,
  features: [],
  pairs: [],
  additivity: [],
});
const axis = (feature: string) => ({ feature, kind: "numeric", levels: null, clock: [] });
const pairBody = (first: string, second: string, share: number) => ({
  first: axis(first),
  second: axis(second),
  share_done: share,
  n_rows: 1,
  n_observations: 1,
  offset: 2,
});
const cells = [[0, 1], [5]].map((values) => Float64Array.from(values));
const buffers = [...cells, Float32Array.of(1, 3), Uint32Array.of(4, 0), Float64Array.of(1), Float64Array.of(5)];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const later = () => vi.advanceTimersByTimeAsync(100);

/** A client whose replies come when the test says so. */
class SlowClient {
  readonly asked: { request: { type: string }; resolve: (reply: unknown) => void; reject: (error: Error) => void }[] =
    [];
  request(request: { type: string }): Promise<unknown> {
    return new Promise((resolve, reject) => this.asked.push({ request, resolve, reject }));
  }
  async answer(reply: unknown): Promise<void> {
    await later();
    this.asked.at(-1)!.resolve(reply);
    await later();
  }
  async fail(error: Error): Promise<void> {
    await later();
    this.asked.at(-1)!.reject(error);
    await later();
  }
}

function feed() {
  const client = new SlowClient();
  const explained = signal("one output");
  const nRows = signal<number | null>(null);
  const pair = signal<Pair | null>(null);
  const measure = signal<Measure | null>(null);
  const joint = new Joint(client as unknown as Client, explained, nRows, pair, measure);
  onTestFinished(() => joint.dispose());
  return { client, explained, nRows, pair, measure, joint };
}

test("interactions are requested until all are known, and not again", async () => {
  const { client, joint } = feed();
  expect(joint.interactions.value).toEqual({ state: "idle", share: 0, body: null });
  expect(client.asked).toEqual([]);
  joint.start();
  joint.start();
  await client.answer({ body: body(1), buffers: [] });
  expect(joint.interactions.value).toEqual({ state: "computing", share: 1 / 3, body: body(1) });
  await client.answer({ body: body(3), buffers: [] });
  expect(joint.interactions.value).toEqual({ state: "ready", share: 1, body: body(3) });
  joint.start();
  expect(client.asked.length).toBe(2);
});

test("to cancel is to request no more; what is known stays, and a start continues", async () => {
  const { client, joint } = feed();
  joint.start();
  await client.answer({ body: body(1), buffers: [] });
  joint.stop();
  expect(joint.interactions.value).toEqual({ state: "idle", share: 1 / 3, body: body(1) });
  await client.answer({ body: body(2), buffers: [] });
  expect(joint.interactions.value).toEqual({ state: "idle", share: 2 / 3, body: body(2) });
  expect(client.asked.length).toBe(2);
  joint.start();
  await client.answer({ body: body(3), buffers: [] });
  expect(joint.interactions.value.state).toBe("ready");
});

test("an error is shown until the next start; a cancelled request is none", async () => {
  const { client, joint } = feed();
  joint.start();
  await client.fail(new KernelError("The model failed."));
  expect(joint.interactions.value).toEqual({ state: "error", share: 0, body: null, message: "The model failed." });
  joint.start();
  await client.fail(new Cancelled("The computation was cancelled."));
  expect(joint.interactions.value).toEqual({ state: "idle", share: 0, body: null });
  joint.start();
  await client.answer({ body: body(3), buffers: [] });
  expect(joint.interactions.value.state).toBe("ready");
});

test("each output has its own interactions", async () => {
  const { client, explained, joint } = feed();
  joint.start();
  await client.answer({ body: body(3), buffers: [] });
  explained.value = "another output";
  expect(joint.interactions.value.state).toBe("idle");
  explained.value = "one output";
  expect(joint.interactions.value.state).toBe("ready");
});

test("the open pair is requested until its heat map is known; another one takes its place", async () => {
  const { client, pair, joint } = feed();
  expect(joint.twoWay.value).toBeNull();
  pair.value = { first: "a", second: "b" };
  await later();
  expect(client.asked.map(({ request }) => request)).toEqual([{ type: "two_way", first: "a", second: "b" }]);
  await client.answer({ body: pairBody("a", "b", 0.5), buffers: [] });
  expect(joint.twoWay.value).toEqual({ state: "computing", share: 0.5, body: null });
  pair.value = { first: "a", second: "c" };
  await client.answer({ body: pairBody("a", "b", 0.75), buffers: [] });
  await client.answer({ body: pairBody("a", "c", 1), buffers });
  expect(client.asked.length).toBe(3);
  const twoWay = joint.twoWay.value!.body;
  expect(twoWay).toMatchObject({ nRows: 1, values: Float64Array.of(3, 5), near: Uint32Array.of(4, 0) });
  expect(twoWay!.second).toMatchObject({ feature: "c", grid: Float64Array.of(5), observed: Float64Array.of(5) });
  pair.value = { first: "a", second: "b" };
  expect(joint.twoWay.value).toMatchObject({ state: "computing", share: 0.75 });
  await later();
  pair.value = { first: "a", second: "c" };
  expect(joint.twoWay.value!.state).toBe("ready");
  expect(client.asked.length).toBe(4);
});

const importanceBody = (measure: Measure, share: number): ImportanceBody => ({
  measure,
  share_done: share,
  problem: "",
  features: share === 1 ? [{ feature: "a", importance: 0.25 }] : [],
  are_coefficients: false,
  n_rows: 1,
  n_observations: 1,
  notes: [],
});

test("a measure of importance is requested once it is started, until it is known; another one ends it", async () => {
  const { client, measure, joint } = feed();
  expect(joint.importance.value).toBeNull();
  joint.startImportance();
  measure.value = "loco";
  expect(joint.importance.value).toEqual({ state: "idle", share: 0, body: null });
  expect(client.asked).toEqual([]);
  joint.startImportance();
  await later();
  expect(client.asked.map(({ request }) => request)).toEqual([{ type: "importance", measure: "loco" }]);
  await client.answer({ body: importanceBody("loco", 0.5), buffers: [] });
  expect(joint.importance.value).toEqual({ state: "computing", share: 0.5, body: importanceBody("loco", 0.5) });
  measure.value = "native";
  await client.answer({ body: importanceBody("loco", 0.7), buffers: [] });
  expect(client.asked.length).toBe(2);
  joint.startImportance();
  await client.answer({ body: importanceBody("native", 1), buffers: [] });
  expect(joint.importance.value).toEqual({ state: "ready", share: 1, body: importanceBody("native", 1) });
  measure.value = "loco";
  expect(joint.importance.value).toEqual({ state: "idle", share: 0.7, body: importanceBody("loco", 0.7) });
  joint.startImportance();
  joint.stopImportance();
  expect(joint.importance.value!.state).toBe("idle");
});
