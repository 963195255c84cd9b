/** Feeds: when something is requested, how often, and what becomes of replies. */
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Feed, type Known, type Wanted } from "../../src/state/feed.ts";
import { Cancelled, KernelError } from "../../src/wire/client.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const later = () => vi.advanceTimersByTimeAsync(1000);
const failure = new KernelError("The model failed.");

/** A feed whose replies come when the test says so. */
function slowFeed() {
  const asked: string[] = [];
  let last: { resolve: (known: Known<string>) => void; reject: (error: Error) => void };
  const wanted = signal<Wanted | null>(null);
  const feed = new Feed<Wanted, string>(
    wanted,
    ({ key, version }, known) => {
      asked.push([key, version, known].filter((each) => each != null).join(" "));
      return new Promise((resolve, reject) => {
        last = { resolve, reject };
      });
    },
    { patience: 100 },
  );
  onTestFinished(() => feed.dispose());
  const show = (key: string | null, version: number | null = null) => {
    wanted.value = key === null ? null : { key, version };
    return later();
  };
  const answer = (body: string | null, share = 1) => {
    last.resolve({ share, body });
    return later();
  };
  const fail = (error: Error = failure) => {
    last.reject(error);
    return later();
  };
  return { asked, wanted, feed, show, answer, fail };
}

test("nothing is requested before it has been wanted for a moment, nor after the end", async () => {
  const { asked, wanted, feed, show } = slowFeed();
  for (const key of ["age", "rm", "tax"]) {
    wanted.value = { key };
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(asked).toEqual([]);
  await later();
  expect(asked).toEqual(["tax"]);
  feed.dispose();
  await show("age");
  expect(asked).toEqual(["tax"]);
});

test("one request at a time, of what is wanted then, and each reply is kept", async () => {
  const { asked, feed, show, answer } = slowFeed();
  await show("age");
  await show("rm");
  await show("tax");
  expect(asked).toEqual(["age"]);
  await answer("about age");
  expect(asked).toEqual(["age", "tax"]);
  await answer("about tax");
  await show("age");
  expect(asked).toEqual(["age", "tax"]);
  expect(feed.of("age")).toEqual({ state: "ready", share: 1, body: "about age" });
  expect(feed.of("rm")).toEqual({ state: "idle", share: 0, body: null });
});

test("a request is repeated, with what is known, until its reply is complete", async () => {
  const { asked, feed, show, answer } = slowFeed();
  const requested = show("age");
  expect(feed.of("age")).toEqual({ state: "computing", share: 0, body: null });
  await requested;
  await answer("a", 0.4);
  expect(feed.of("age")).toEqual({ state: "computing", share: 0.4, body: "a" });
  await answer("ab");
  expect([asked, feed.of("age")]).toEqual([["age", "age a"], { state: "ready", share: 1, body: "ab" }]);
});

test("what is no longer wanted is requested no more; what is known of it stays, and is gone on with", async () => {
  const { asked, feed, show, answer } = slowFeed();
  await show("age");
  await show(null);
  await answer("a", 0.4);
  expect([asked, feed.of("age")]).toEqual([["age"], { state: "idle", share: 0.4, body: "a" }]);
  await show("age");
  expect(asked).toEqual(["age", "age a"]);
});

test("an error is kept while nothing else is wanted, until it is tried again", async () => {
  const { asked, feed, show, fail } = slowFeed();
  await show("age");
  await fail();
  const error = { state: "error", share: 0, body: null, message: "The model failed." };
  expect(feed.of("age")).toEqual(error);
  await show(null);
  await show("age");
  expect([asked, feed.of("age")]).toEqual([["age"], error]);
  feed.retry();
  expect(feed.of("age").state).toBe("computing");
  await later();
  expect(asked).toEqual(["age", "age"]);
});

test("what failed is requested again once something else was wanted", async () => {
  const { asked, feed, show, answer, fail } = slowFeed();
  await show("age");
  await fail();
  await show("rm");
  await answer("about rm");
  await show("age");
  await answer("about age");
  expect([asked, feed.of("age").state]).toEqual([["age", "rm", "age"], "ready"]);
});

test.each([[null], ["rm"]])(
  "what was cancelled is requested again when it is wanted again, after %s",
  async (other) => {
    const { asked, feed, wanted, show, fail } = slowFeed();
    await show("age");
    await fail(new Cancelled("Cancelled."));
    expect([asked, feed.of("age").state]).toEqual([["age"], "idle"]);
    wanted.value = other === null ? null : { key: other };
    await show("age");
    expect(asked).toEqual(["age", "age"]);
  },
);

test("another version is requested, and the reply before stays until the new one is complete", async () => {
  const { asked, feed, show, answer } = slowFeed();
  await show("age", 1024);
  await answer("of 1024");
  await show("age", 2048);
  await answer("a part", 0.5);
  expect(feed.of("age")).toEqual({ state: "ready", share: 1, body: "of 1024" });
  await answer("of 2048");
  expect([asked, feed.of("age").body]).toEqual([["age 1024", "age 2048", "age 2048 a part"], "of 2048"]);
});

test("a late reply is shown until the one to the next version is there", async () => {
  const { asked, feed, show, answer } = slowFeed();
  await show("age", 1024);
  await show("age", 2048);
  await answer("of 1024");
  expect([asked, feed.of("age").body]).toEqual([["age 1024", "age 2048"], "of 1024"]);
});

test("where another version fails, it says so beside the reply before, and nothing is requested until the version changes", async () => {
  const { asked, feed, show, answer, fail } = slowFeed();
  await show("age", 1024);
  await answer("of 1024");
  await show("age", 2048);
  await fail();
  expect(feed.of("age")).toMatchObject({ state: "error", body: "of 1024" });
  await show("age", null);
  expect(asked).toEqual(["age 1024", "age 2048", "age"]);
});
