import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { driversFeed, splitsOf } from "../../src/store/drivers.ts";
import type { Showing } from "../../src/store/feature_feed.ts";
import { Cancelled, type Client, KernelError } from "../../src/wire/client.ts";
import type { DriverBody, DriversBody } from "../../src/wire/protocol.ts";

const share = (column: string, of: number): DriverBody => ({
  column,
  share: of,
  rule: `${column} > 1`,
  n_rule: 4,
  n_rest: 6,
  threshold: 1,
  levels: null,
  sides: [`${column} ≤ 1`, `${column} > 1`],
});
const body = (feature: string): DriversBody => ({
  feature,
  lead: "Curves differ (63 % of their variance); of that:",
  drivers: [share("rm", 0.47)],
  combined: { columns: [], share: 0, rules: [] },
  n_rows: 10,
  n_curves: 10,
});

/** A client whose answers come when the test says so. */
class SlowClient {
  readonly asked: { feature: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  request({ feature }: { feature: string }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.asked.push({ feature, resolve: () => resolve({ body: body(feature), buffers: [] }), reject });
    });
  }
}

const show = (feature: string): Showing => ({ feature, key: `output ${feature}`, positions: new Uint32Array() });
const later = () => vi.advanceTimersByTimeAsync(1000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function feed() {
  const client = new SlowClient();
  const showing = signal<Showing | null>(null);
  return { client, showing, drivers: driversFeed(client as unknown as Client, showing) };
}

test("nothing is asked before curves have been on screen for a moment", async () => {
  const { client, showing } = feed();
  await later();
  showing.value = show("age");
  expect(client.asked).toEqual([]);
  showing.value = show("rm");
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["rm"]);
});

test("one question at a time, and each feature once", async () => {
  const { client, showing, drivers } = feed();
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
  expect(drivers.of("output age")).toEqual({ body: body("age") });
  expect(drivers.of("another output age")).toBeNull();
});

test("what went wrong is kept as a sentence until it is tried again", async () => {
  const { client, showing, drivers } = feed();
  showing.value = show("age");
  await later();
  client.asked[0]!.reject(new KernelError("The model failed."));
  await later();
  expect(drivers.of("output age")).toEqual({ problem: "The model failed." });
  expect(client.asked.length).toBe(1);
  drivers.retry();
  await later();
  expect(client.asked.length).toBe(2);
});

test("a cancelled question is put again when its feature is opened again", async () => {
  const { client, showing, drivers } = feed();
  showing.value = show("age");
  await later();
  client.asked[0]!.reject(new Cancelled("cancelled"));
  await later();
  expect([client.asked.length, drivers.of("output age")]).toEqual([1, null]);
  showing.value = show("rm");
  await later();
  showing.value = show("age");
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["age", "rm"]);
  client.asked[1]!.resolve();
  await later();
  expect(client.asked.map(({ feature }) => feature)).toEqual(["age", "rm", "age"]);
});

test("there are splits once they are known", () => {
  expect(splitsOf({ body: body("age") }).map(({ column }) => column)).toEqual(["rm"]);
  expect(splitsOf(null)).toEqual([]);
  expect(splitsOf({ problem: "no" })).toEqual([]);
});

test("after the end nothing is asked", async () => {
  const { client, showing, drivers } = feed();
  showing.value = show("age");
  drivers.dispose();
  await later();
  expect(client.asked).toEqual([]);
});
