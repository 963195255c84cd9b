import type { AnyModel } from "@anywidget/types";
import { afterEach, expect, test, vi } from "vitest";
import { clinic as kernel } from "../../dev/explorers.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { Cancelled, KERNEL_GONE, ModelClient, RELOAD } from "../../src/wire/client.ts";
import type { CurvesRequest } from "../../src/wire/protocol.ts";

const NOTHING = { columns: [], n_outcomes: 0, positions: [] };

afterEach(() => void vi.useRealTimers());

function silent(): FakeModel {
  const model = kernel.model();
  model.answer = () => null;
  return model;
}
const clientOf = (model: FakeModel) => new ModelClient(model as unknown as AnyModel);
const curves: CurvesRequest = { type: "curves", feature: "Age", max_lines: 10, selection: [] };

test("each question gets its own answer, whatever the order of the replies", async () => {
  const model = silent();
  const client = clientOf(model);
  const first = client.request({ type: "rows", positions: [0] });
  const second = client.request({ type: "rows", positions: [1] });
  const [one, two] = model.sent;
  model.emit("msg:custom", { id: two!.id, type: "result", body: { ...NOTHING, rows: [["second"]] } }, []);
  model.emit("msg:custom", { id: one!.id, type: "result", body: { ...NOTHING, rows: [["first"]] } }, []);
  expect((await first).rows).toEqual([["first"]]);
  expect((await second).rows).toEqual([["second"]]);
});

test("replies to other views are ignored", async () => {
  const model = silent();
  const mine = clientOf(model);
  const others = clientOf(model);
  const asked = others.request({ type: "cancel" });
  const settled = vi.fn();
  mine.request({ type: "cancel" }).then(settled, settled);
  model.emit("msg:custom", { id: model.sent[0]!.id, type: "result", body: {} }, []);
  await asked;
  expect(settled).not.toHaveBeenCalled();
});

test("messages that are no replies do no harm", () => {
  const model = silent();
  clientOf(model);
  for (const message of [null, "hello", 3, {}, { id: "x" }]) model.emit("msg:custom", message, []);
});

test("the first reply settles a request: an error with its sentence, or that it was cancelled", async () => {
  const model = silent();
  const client = clientOf(model);
  const [failed, cancelled] = [client.request(curves), client.request(curves)];
  for (const message of ["No feature named 'Age'.", "second"]) {
    model.emit("msg:custom", { id: model.sent[0]!.id, type: "error", message }, []);
  }
  model.emit("msg:custom", { id: model.sent[1]!.id, type: "cancelled" }, []);
  await expect(failed).rejects.toThrow("No feature named 'Age'.");
  await expect(cancelled).rejects.toBeInstanceOf(Cancelled);
});

test("a reply whose numbers are missing ends the question with a sentence", async () => {
  const model = silent();
  const asked = clientOf(model).request(curves);
  const body = { grid: { dtype: "float64", shape: [2], buffer: 0 } };
  model.emit("msg:custom", { id: model.sent[0]!.id, type: "result", body }, []);
  await expect(asked).rejects.toThrow(`The reply lacks the numbers of its buffer 0. ${RELOAD}`);
});

test("when the kernel goes, open questions end with a sentence", async () => {
  const model = silent();
  const client = clientOf(model);
  const asked = client.request(curves);
  model.emit("comm_live_update");
  await expect(asked).rejects.toThrow(KERNEL_GONE);
  expect(client.alive.value).toBe(false);
});

test("a question to a kernel that is gone ends, too, unless the kernel answers after all", async () => {
  vi.useFakeTimers();
  const model = silent();
  const client = clientOf(model);
  model.emit("comm:close");
  const unheard = client.request(curves);
  const heard = client.request({ type: "cancel" });
  const refused = expect(unheard).rejects.toThrow(KERNEL_GONE);
  model.emit("msg:custom", { id: model.sent[1]!.id, type: "result", body: {} }, []);
  await heard;
  expect(client.alive.value).toBe(true);
  await vi.advanceTimersByTimeAsync(4000);
  await refused;
});

test("a kernel of which nothing is heard for ten seconds is silent, until something is", async () => {
  vi.useFakeTimers();
  const model = silent();
  const client = clientOf(model);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(client.silent.value).toBe(false); // nothing was asked
  const first = client.request({ type: "cancel" });
  await vi.advanceTimersByTimeAsync(6000);
  model.emit("change:_status"); // it works
  await vi.advanceTimersByTimeAsync(9000);
  expect(client.silent.value).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(client.silent.value).toBe(true);
  model.emit("msg:custom", { id: model.sent[0]!.id, type: "result", body: {} }, []);
  await first;
  expect(client.silent.value).toBe(false);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(client.silent.value).toBe(false);
  client.request(curves).catch(() => {});
  client.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

test("after disposal open questions are cancelled and no listener is left", async () => {
  const model = silent();
  const client = clientOf(model);
  const asked = client.request(curves);
  client.dispose();
  await expect(asked).rejects.toBeInstanceOf(Cancelled);
  await expect(client.request(curves)).rejects.toBeInstanceOf(Cancelled);
  expect(model.listenerCount).toBe(0);
});
