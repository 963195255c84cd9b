/** Feeds: when something is requested, how often, and what becomes of replies. */
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { featureFeed, type Showing } from "../../src/store/feed.ts";
import { Cancelled, KernelError } from "../../src/wire/client.ts";

/** A client whose answers come when the test says so. */
class SlowClient {
  readonly asked: { feature: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  request(feature: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.asked.push({ feature, resolve: () => resolve(`about ${feature}`), reject });
    });
  }
}

const show = (feature: string): Showing => ({ feature, key: `output ${feature}`, positions: new Uint32Array() });
const later = () => vi.advanceTimersByTimeAsync(1000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function slowFeed() {
  const client = new SlowClient();
  const showing = signal<Showing | null>(null);
  const feed = featureFeed(showing, ({ feature }) => client.request(feature));
  onTestFinished(() => feed.dispose());
  return { client, showing, feed };
}

test("nothing is asked before curves have been on screen for a moment", async () => {
  const { client, showing } = slowFeed();
  await later();
  showing.value = show("age");
  expect(client.asked).toEqual([]);
  showing.value = show("rm");
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["rm"]);
});

test("one question at a time, and each feature once", async () => {
  const { client, showing, feed } = slowFeed();
  showing.value = show("age");
  await later();
  showing.value = show("rm");
  await later();
  expect(client.asked.length).toBe(1);
  client.asked[0]!.resolve();
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["age", "rm"]);
  client.asked[1]!.resolve();
  await later();
  showing.value = show("age");
  await later();
  expect(client.asked.length).toBe(2);
  expect(feed.of("output age")).toEqual({ state: "ready", share: 1, body: "about age" });
  expect(feed.of("another output age")).toEqual({ state: "idle", share: 0, body: null });
});

test("an error is kept while nothing else is shown, until it is tried again", async () => {
  const { client, showing, feed } = slowFeed();
  showing.value = show("age");
  await later();
  client.asked[0]!.reject(new KernelError("The model failed."));
  await later();
  expect(feed.of("output age")).toEqual({ state: "error", share: 0, body: null, message: "The model failed." });
  showing.value = null;
  await later();
  showing.value = show("age");
  await later();
  expect([client.asked.length, feed.of("output age").state]).toEqual([1, "error"]);
  feed.retry();
  expect(feed.of("output age").state).toBe("computing");
  await later();
  expect(client.asked.length).toBe(2);
});

test("what failed is requested again once something else was shown", async () => {
  const { client, showing, feed } = slowFeed();
  showing.value = show("age");
  await later();
  client.asked[0]!.reject(new KernelError("The model failed."));
  await later();
  showing.value = show("rm");
  await later();
  client.asked[1]!.resolve();
  await later();
  showing.value = show("age");
  await later();
  client.asked[2]!.resolve();
  await later();
  expect(feed.of("output age")).toMatchObject({ state: "ready", body: "about age" });
});

test("what was cancelled is requested again when it comes back", async () => {
  const { client, showing } = slowFeed();
  showing.value = show("age");
  await later();
  client.asked[0]!.reject(new Cancelled("cancelled"));
  await later();
  showing.value = null;
  showing.value = show("age");
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["age", "age"]);
});

test("a cancelled question is put again when its feature is opened again", async () => {
  const { client, showing, feed } = slowFeed();
  showing.value = show("age");
  await later();
  client.asked[0]!.reject(new Cancelled("cancelled"));
  await later();
  expect([client.asked.length, feed.of("output age").state]).toEqual([1, "idle"]);
  showing.value = show("rm");
  await later();
  showing.value = show("age");
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["age", "rm"]);
  client.asked[1]!.resolve();
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["age", "rm", "age"]);
});

test("after the end nothing is asked", async () => {
  const { client, showing, feed } = slowFeed();
  showing.value = show("age");
  feed.dispose();
  await later();
  expect(client.asked).toEqual([]);
});
