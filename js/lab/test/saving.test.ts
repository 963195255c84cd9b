import type { DocumentRegistry } from "@jupyterlab/docregistry";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storePicturesOnSave } from "../src/saving.ts";
import type { ExplorerOutput } from "../src/stored_picture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Slot = (kernel: unknown, status: string) => void;

/** A document whose kernel answers each request when `answer` is called. */
function open(modelIds: readonly string[], hasKernel = true) {
  const saves: (readonly (string | null)[])[] = [];
  const slots = new Set<Slot>();
  const requests = new Map<string, (picture: string | null) => void>();
  const outputs = modelIds.map((modelId) => ({
    modelId,
    picture: null as string | null,
    store(picture: string) {
      this.picture = picture;
      context.model.dirty = true;
    },
  }));
  const kernel = {
    connectionStatus: "connected",
    disposed: { connect: () => undefined, disconnect: () => undefined },
    statusChanged: { connect: (slot: Slot) => void slots.add(slot), disconnect: (slot: Slot) => slots.delete(slot) },
    createComm: () => {
      const comm = {
        onMsg: (_message: unknown): void => undefined,
        isDisposed: false,
        close: () => undefined,
        open: ({ model_id }: { model_id: string }) => {
          requests.set(model_id, (picture) => comm.onMsg({ content: { data: { picture } } }));
          return { done: Promise.resolve() };
        },
      };
      return comm;
    },
  };
  const context = {
    isDisposed: false,
    model: { dirty: false },
    sessionContext: { session: hasKernel ? { kernel } : null },
    save: () => {
      saves.push(outputs.map(({ picture }) => picture));
      context.model.dirty = false;
      return Promise.resolve();
    },
  };
  storePicturesOnSave(
    context as unknown as DocumentRegistry.Context,
    new Set(outputs) as unknown as ReadonlySet<ExplorerOutput>,
  );
  return {
    context,
    saves,
    slots,
    answer: (modelId: string, picture: string | null) => requests.get(modelId)!(picture),
    tell: (status: string) => {
      for (const slot of slots) slot(kernel, status);
    },
  };
}

test("pictures of all explorers are stored before the notebook is saved", async () => {
  const { context, saves, answer } = open(["a", "b"]);
  const saved = context.save();
  answer("b", "second");
  answer("a", "first");
  await saved;
  expect(saves).toEqual([["first", "second"]]);
});

test("an explorer without a result keeps what it has", async () => {
  const { context, saves, answer } = open(["a"]);
  const saved = context.save();
  answer("a", null);
  await saved;
  expect(saves).toEqual([[null]]);
});

test("a kernel that is busy does not hold up saving; a late picture is saved once more, as it is after the last save", async () => {
  const { context, saves, answer } = open(["a"]);
  const saved = context.save();
  await vi.advanceTimersByTimeAsync(2000);
  await saved;
  await context.save();
  expect(saves).toEqual([[null], [null]]);
  answer("a", "late");
  await vi.advanceTimersByTimeAsync(0);
  answer("a", "latest");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(saves).toEqual([[null], [null], ["latest"]]);
});

test("a kernel that restarts has no answer, and is asked again the next time", async () => {
  const { context, saves, slots, answer, tell } = open(["a"]);
  const first = context.save();
  tell("busy");
  expect(slots.size).toBe(1);
  tell("restarting");
  await first;
  expect(slots.size).toBe(0);
  const second = context.save();
  answer("a", "new");
  await second;
  expect(saves).toEqual([[null], ["new"]]);
});

test("without a kernel or explorers a notebook is saved as ever", async () => {
  for (const { context, saves } of [open(["a"], false), open([]), open([""])]) {
    await context.save();
    expect(saves).toHaveLength(1);
  }
});
