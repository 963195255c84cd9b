/** Intervals of the bars: when they are requested, how often, and what becomes of replies. */
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { intervalsFeed, type Shown } from "../../src/store/intervals.ts";
import { Cancelled, type Client, KernelError } from "../../src/wire/client.ts";

const shown = (decay: number): Shown => ({
  key: `at ${decay}`,
  nFeatures: 2,
  rank_by: "in_distribution_impact",
  level: 0.9,
  decay,
  convention: "stable",
  unit: "prediction",
});

/** A client whose replies come when the test says so. */
class SlowClient {
  readonly asked: { decay: number; known: (n: number) => void; reject: (error: Error) => void }[] = [];
  request({ decay }: { decay: number }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const known = (n: number): void => {
        const buffers = n < 2 ? [] : Array.from({ length: 4 }, () => Float64Array.of(decay, 1));
        resolve({ body: { n_known: n, n_features: 2, tied: n < 2 ? [] : [[0, 1]] }, buffers });
      };
      this.asked.push({ decay, known, reject });
    });
  }
  get last() {
    return this.asked.at(-1)!;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const later = () => vi.advanceTimersByTimeAsync(1000);
function feedOf() {
  const client = new SlowClient();
  const wanted = signal<Shown | null>(null);
  const feed = intervalsFeed(client as unknown as Client, wanted);
  onTestFinished(() => feed.dispose());
  return { client, wanted, feed, state: () => feed.of(wanted.value?.key ?? "") };
}

test("nothing is requested while nothing is wanted, and a figure is requested once it stays", async () => {
  const { client, wanted } = feedOf();
  await later();
  for (const decay of [0.7, 0.6, 0.5]) {
    wanted.value = shown(decay);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(client.asked).toEqual([]);
  await later();
  expect(client.asked.map(({ decay }) => decay)).toEqual([0.5]);
});

test("a request is repeated until the rows of all features are drawn, and its reply is kept", async () => {
  const { client, wanted, state } = feedOf();
  wanted.value = shown(0.5);
  expect(state()).toEqual({ state: "computing", share: 0, body: null });
  await later();
  client.last.known(1);
  await later();
  expect(state()).toEqual({ state: "computing", share: 0.5, body: null });
  expect(client.asked.length).toBe(2);
  client.last.known(2);
  await later();
  expect(state()).toMatchObject({ state: "ready", body: { level: 0.9, tied: [[0, 1]] } });
  wanted.value = shown(0.4);
  await later();
  client.last.known(2);
  await later();
  wanted.value = shown(0.5);
  await later();
  expect(client.asked.map(({ decay }) => decay)).toEqual([0.5, 0.5, 0.4]);
  expect(state()).toMatchObject({ state: "ready", body: { low: Float64Array.of(0.5, 1) } });
});

test("one request is on its way at most, and a figure that is no longer shown is requested no more", async () => {
  const { client, wanted } = feedOf();
  wanted.value = shown(0.5);
  await later();
  for (const decay of [0.4, 0.3, 0.2]) {
    wanted.value = shown(decay);
    await later();
  }
  expect(client.asked.length).toBe(1);
  client.last.known(1);
  await later();
  expect(client.asked.map(({ decay }) => decay)).toEqual([0.5, 0.2]);
});

test("a drag ends the requests, and its end resumes them", async () => {
  const { client, wanted, state } = feedOf();
  wanted.value = shown(0.5);
  await later();
  wanted.value = null;
  expect(state()).toEqual({ state: "idle", share: 0, body: null });
  client.last.known(1);
  await later();
  expect(client.asked.length).toBe(1);
  wanted.value = shown(0.5);
  await later();
  expect(client.asked.length).toBe(2);
});

test("an error is told, and requested again on retry", async () => {
  const { client, wanted, feed, state } = feedOf();
  wanted.value = shown(0.5);
  await later();
  client.last.reject(new KernelError("The model failed."));
  await later();
  expect(state()).toEqual({ state: "error", share: 0, body: null, message: "The model failed." });
  expect(client.asked.length).toBe(1);
  feed.retry();
  await later();
  expect(client.asked.length).toBe(2);
});

test("a cancelled request is repeated when another figure is shown, not before", async () => {
  const { client, wanted, state } = feedOf();
  wanted.value = shown(0.5);
  await later();
  client.last.reject(new Cancelled("Cancelled."));
  await later();
  expect([client.asked.length, state().state]).toEqual([1, "idle"]);
  wanted.value = shown(0.4);
  await later();
  wanted.value = shown(0.5);
  client.last.known(2);
  await later();
  expect(client.asked.map(({ decay }) => decay)).toEqual([0.5, 0.4, 0.5]);
});

test("a closed feed requests nothing", async () => {
  const { client, wanted, feed } = feedOf();
  wanted.value = shown(0.5);
  feed.dispose();
  await later();
  expect(client.asked).toEqual([]);
});
