/** The what-if of the selected row: what is asked, until when, and what of it is within reach. */
import { computed, signal } from "@preact/signals-core";
import { expect, onTestFinished, test } from "vitest";
import { largestChange, type Question, whatIfFeed, whatIfOf } from "../../src/store/what_if.ts";
import { type Client, KernelError } from "../../src/wire/client.ts";
import type { FeatureMoves, Request, WhatIfRequest } from "../../src/wire/protocol.ts";

const moved = (feature: string): FeatureMoves => ({
  feature,
  observed: "1",
  moves: [
    { distance: 0.5, place: 2, value: "2", change: 3 },
    { distance: 2.4, place: 4, value: "4", change: -5 },
    { distance: null, place: 9, value: "9", change: 8 },
  ],
});

/** A kernel that answers for so many features at a time. */
function feedOf(perReply: number, answer?: (request: WhatIfRequest) => void, hasKernel = true) {
  const asked: WhatIfRequest[] = [];
  const request = async (wanted: Request) => {
    asked.push(wanted as WhatIfRequest);
    answer?.(wanted as WhatIfRequest);
    const { position, features } = wanted as WhatIfRequest;
    return { body: { position, prediction: 1, features: features.slice(0, perReply).map(moved) }, buffers: [] };
  };
  const row = signal<number | null>(null);
  const names = ["a", "b", "c", "d", "e"];
  const question = computed((): Question | null =>
    row.value === null ? null : { key: String(row.value), row: row.value, features: names },
  );
  const feed = whatIfFeed({ hasKernel, request } as unknown as Client, question);
  onTestFinished(() => feed.dispose());
  const known = computed(() =>
    question.value === null ? null : whatIfOf(question.value, feed.of(question.value.key)),
  );
  return { known, row, asked };
}

test("all features of a row are asked for, as many at a time as the kernel answers", async () => {
  const { known, row, asked } = feedOf(2);
  row.value = 0;
  await expect.poll(() => known.value?.moves.size).toBe(5);
  expect(asked.map(({ position, features }) => [position, features.join("")])).toEqual([
    [0, "abcde"],
    [0, "cde"],
    [0, "e"],
  ]);
  expect(known.value).toMatchObject({ row: 0, total: 5, problem: null });
});

test("a row that is no longer selected is not asked about any more", async () => {
  const { known, row, asked } = feedOf(1, ({ position }) => {
    if (position === 3) row.value = 7;
  });
  row.value = 3;
  await expect.poll(() => known.value?.moves.size).toBe(5);
  expect(known.value?.row).toBe(7);
  expect(asked.filter(({ position }) => position === 3).length).toBe(1);
});

test("rows that are passed by quickly are not asked about", async () => {
  const { known, row, asked } = feedOf(5);
  for (const each of [1, 2, 3]) row.value = each;
  await expect.poll(() => known.value?.moves.size).toBe(5);
  expect(asked.map(({ position }) => position)).toEqual([3]);
});

test("what cannot be computed ends in a sentence, and keeps what is known", async () => {
  const { known, row } = feedOf(2, ({ features }) => {
    if (features.length === 3) throw new KernelError("The model failed.");
  });
  row.value = 0;
  await expect.poll(() => known.value?.problem).toBe("The model failed.");
  expect([...known.value!.moves.keys()]).toEqual(["a", "b"]);
});

test("a page without a kernel asks nothing", async () => {
  const { known, row, asked } = feedOf(5, undefined, false);
  row.value = 0;
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(asked).toEqual([]);
  expect(known.value).toMatchObject({ row: 0, problem: null });
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
