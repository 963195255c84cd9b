/** Curves of features besides the open one: how they are asked for, and for how long they are kept. */
import { signal } from "@preact/signals-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { clinic as kernel } from "../../dev/explorers.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { type CurvesOptions, FeatureCurves } from "../../src/state/curves.ts";
import { storeOf } from "../stores.ts";

function shownCurves(model: FakeModel = kernel.model({ feature: "" }), options: Partial<CurvesOptions> = {}) {
  const store = storeOf(model);
  const curves = new FeatureCurves(store, { maxLines: () => 30, rows: () => [], ...options });
  onTestFinished(() => curves.dispose());
  const arrived = (feature: string) => vi.waitFor(() => expect(curves.get(feature).state).toBe("ready"));
  const loaded = (feature: string) => curves.get(feature).body;
  const asked = () =>
    model.sent.flatMap((sent) => (sent.type === "curves" && sent.max_lines === 30 ? [sent.feature] : []));
  return { store, curves, arrived, loaded, asked };
}

/** Answers only when told to. */
function patient(model: FakeModel) {
  const waiting: (() => void)[] = [];
  const answer = model.answer;
  model.answer = (request) => {
    if (request.type !== "curves" || request.max_lines !== 30) return answer(request);
    const { reply } = answer(request)!;
    waiting.push(() => model.hear(reply));
    return null;
  };
  return waiting;
}

test("curves are asked for once, in the order of urgency", async () => {
  const { curves, arrived, asked } = shownCurves();
  curves.want(["Age", "BMI", "Marker"]);
  await arrived("Marker");
  curves.want(["Marker", "Age", "BMI"]);
  expect(asked()).toEqual(["Age", "BMI", "Marker"]);
});

test("no more than two questions are open at once; what nobody looks at any more is not asked for, but kept", async () => {
  const model = kernel.model({ feature: "" });
  const waiting = patient(model);
  const { curves, asked, arrived } = shownCurves(model);
  curves.want(["Age", "BMI", "Marker", "Visits"]);
  expect(asked()).toEqual(["Age", "BMI"]);
  waiting[1]!();
  await arrived("BMI");
  await vi.waitFor(() => expect(asked()).toEqual(["Age", "BMI", "Marker"]));
  curves.want(["Height"]);
  waiting[0]!();
  await arrived("Age");
  await vi.waitFor(() => expect(asked()).toEqual(["Age", "BMI", "Marker", "Height"]));
});

test("an opened feature is asked for before the others", async () => {
  const model = kernel.model({ feature: "Age" });
  const open = model.answer;
  model.answer = (request) => (request.type === "curves" && request.feature === "Age" ? null : open(request));
  const { curves, asked, store, arrived } = shownCurves(model);
  curves.want(["BMI"]);
  expect(store.picture.value.state).toBe("loading");
  expect(asked()).toEqual([]);
  store.open("Marker");
  await arrived("BMI");
});

test("curves that lack a row are shown until others are there, and asked for once", async () => {
  const rows = signal<number[]>([]);
  const { curves, arrived, loaded, asked } = shownCurves(kernel.model({ feature: "" }), { rows: () => rows.value });
  curves.want(["Age"]);
  await arrived("Age");
  rows.value = [1];
  expect(curves.get("Age").state).toBe("ready");
  await vi.waitFor(() => expect(loaded("Age")?.curves.positions).toContain(1));
  rows.value = [1, 20]; // every tenth row is drawn anyway
  expect(asked()).toEqual(["Age", "Age"]);
});

test.each(["lines", "rows"])("fewer %s than were asked for are no reason to ask again", async (lacking) => {
  const model = kernel.model({ feature: "" });
  const { answer } = model;
  const lack = lacking === "rows" ? { selection: [] } : { max_lines: 20 };
  model.answer = (request) => answer(request.type === "curves" ? { ...request, ...lack } : request);
  const { curves, arrived, asked } = shownCurves(model, { rows: () => [1] });
  curves.want(["Age"]);
  await arrived("Age");
  curves.want(["Age"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked()).toEqual(["Age"]);
});

test("curves at hand are not asked for", async () => {
  const model = kernel.model({ feature: "Age", max_lines: 60 });
  const { store, curves, arrived, asked } = shownCurves(model, {
    atHand: (feature, rows) => store.curvesAtHand(feature, rows),
  });
  await vi.waitFor(() => expect(store.picture.value.state).toBe("ready"));
  curves.want(["Age"]);
  await arrived("Age");
  expect(asked()).toEqual([]);
});

test("colours follow the column without asking for the curves again", async () => {
  const { store, curves, arrived, loaded, asked } = shownCurves();
  curves.want(["Age"]);
  await arrived("Age");
  store.set("color_by", "Ward");
  await vi.waitFor(() => expect(loaded("Age")?.colors?.scale.column).toBe("Ward"));
  expect(asked()).toEqual(["Age"]);
});

test("a column chosen while the colours of another are on their way has the last word", async () => {
  const model = kernel.model({ feature: "", color_by: "BMI" });
  const whole = model.answer;
  let late: (() => void) | null = null;
  model.answer = (request) => {
    if (request.type !== "colors" || request.column !== "BMI") return whole(request);
    const { reply } = whole(request)!;
    late = () => model.hear(reply);
    return null;
  };
  const { store, curves, arrived, loaded } = shownCurves(model);
  curves.want(["Age"]);
  await vi.waitFor(() => expect(late).not.toBeNull());
  store.set("color_by", "Ward");
  late!();
  await arrived("Age");
  expect(loaded("Age")!.colors?.scale.column).toBe("Ward");
});

test("what failed says so, and is asked for again once the kernel has moved on", async () => {
  const model = kernel.model({ feature: "" });
  const whole = model.answer;
  model.answer = ({ id }) => ({ reply: { id, type: "error", message: "The model failed." } });
  const { curves, arrived } = shownCurves(model);
  curves.want(["Age"]);
  await vi.waitFor(() => expect(curves.get("Age")).toMatchObject({ state: "error", message: "The model failed." }));
  model.answer = whole;
  model.push("_status", { ...model.get("_status"), state: "computing" });
  curves.want(["Age"]);
  await arrived("Age");
});

test("of another output nothing is left, and answers about the former one are dropped", async () => {
  const model = kernel.model({ feature: "" });
  const waiting = patient(model);
  const { curves, arrived, asked } = shownCurves(model);
  curves.want(["Age", "BMI"]);
  waiting[0]!();
  await arrived("Age");
  model.push("output", "other");
  expect(curves.get("Age").body).toBeNull();
  waiting[1]!();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(curves.get("BMI").body).toBeNull();
  expect(asked()).toEqual(["Age", "BMI", "Age", "BMI"]);
});

test("what was looked at least recently is forgotten when there is no more room", async () => {
  const { curves, arrived, loaded } = shownCurves();
  const state = (feature: string) => curves.get(feature).state;
  curves.want(["Age", "BMI"]);
  await arrived("BMI");
  Object.defineProperty(loaded("Age")!.curves.values, "length", { value: 5e6 });
  curves.want(["Age", "Visits"]);
  await arrived("Visits");
  expect(state("Age")).toBe("ready");
  curves.want(["BMI", "Marker"]);
  await arrived("Marker");
  expect([state("Age"), state("BMI")]).toEqual(["idle", "ready"]);
});
