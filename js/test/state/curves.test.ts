/** Curves in small plots: how they are asked for, and for how long they are kept. */
import { expect, test, vi } from "vitest";
import { clinic as kernel } from "../../dev/explorers.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import { SMALL_LINES } from "../../src/state/curves.ts";
import type { CurvesRequest } from "../../src/wire/protocol.ts";
import { storeOf } from "../stores.ts";

const isSmall = (sent: { type: string }): sent is CurvesRequest =>
  sent.type === "curves" && (sent as CurvesRequest).max_lines === SMALL_LINES;

function shownCurves(model: FakeModel = kernel.model({ feature: "" })) {
  const store = storeOf(model);
  const { curves } = store;
  const get = (feature: string) => curves.small(feature).value;
  const arrived = (feature: string) => vi.waitFor(() => expect(get(feature).state).toBe("ready"));
  const asked = () => model.sent.flatMap((sent) => (isSmall(sent) ? [sent.feature] : []));
  return { store, curves, arrived, get, loaded: (feature: string) => get(feature).body, asked };
}

/** Answers only when told to. */
function patient(model: FakeModel) {
  const waiting: (() => void)[] = [];
  const answer = model.answer;
  model.answer = (request) => {
    if (!isSmall(request)) return answer(request);
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

test("an opened feature does not wait for others", () => {
  const model = kernel.model({ feature: "" });
  model.answer = () => null;
  const { curves, store } = shownCurves(model);
  curves.want(["Age", "BMI", "Marker"]);
  store.open("Visits");
  const features = model.sent.flatMap((sent) => (sent.type === "curves" ? [sent.feature] : []));
  expect(features).toEqual(["Age", "BMI", "Visits"]);
});

test("curves that lack a selected row are shown until others are there, and asked for once", async () => {
  const { store, curves, arrived, get, loaded, asked } = shownCurves();
  curves.want(["Age"]);
  await arrived("Age");
  const lacking = kernel.header.n_observations - 1;
  const drawn = loaded("Age")!.curves.positions[0]!;
  store.selectOnly(lacking);
  expect(get("Age").state).toBe("ready");
  await vi.waitFor(() => expect(loaded("Age")?.curves.positions).toContain(lacking));
  store.select(drawn, true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked()).toEqual(["Age", "Age"]);
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
  const { curves, arrived, get } = shownCurves(model);
  curves.want(["Age"]);
  await vi.waitFor(() => expect(get("Age")).toMatchObject({ state: "error", message: "The model failed." }));
  model.answer = whole;
  model.push("_status", { ...model.get("_status"), state: "computing" });
  await arrived("Age");
});

test("of another output nothing is left, and answers about the former one are dropped", async () => {
  const model = kernel.model({ feature: "" });
  const waiting = patient(model);
  const { curves, arrived, loaded, asked } = shownCurves(model);
  curves.want(["Age", "BMI"]);
  waiting[0]!();
  await arrived("Age");
  model.push("output", "other");
  expect(loaded("Age")).toBeNull();
  waiting[1]!();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(loaded("BMI")).toBeNull();
  expect(asked()).toEqual(["Age", "BMI", "Age", "BMI"]);
});

test("what was looked at least recently is forgotten when there is no more room", async () => {
  const { curves, arrived, get, loaded } = shownCurves();
  curves.want(["Age", "BMI"]);
  await arrived("BMI");
  Object.defineProperty(loaded("Age")!.curves.values, "length", { value: 5e6 });
  curves.want(["Age", "Visits"]);
  await arrived("Visits");
  expect(get("Age").state).toBe("ready");
  curves.want(["BMI", "Marker"]);
  await arrived("Marker");
  expect([get("Age").state, get("BMI").state]).toEqual(["computing", "ready"]);
});
