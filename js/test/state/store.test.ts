import { afterEach, expect, test, vi } from "vitest";
import { clinic as kernel } from "../../dev/explorers.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import type { Store } from "../../src/state/store.ts";
import { storeOf } from "../stores.ts";

afterEach(() => {
  vi.useRealTimers();
});

const ready = (store: Store) =>
  vi.waitFor(() => {
    const picture = store.picture.value;
    if (picture.state !== "ready") throw new Error(`The picture is ${picture.state}.`);
    return picture.loaded!;
  });
const questions = (model: FakeModel, type: string) => model.sent.filter((sent) => sent.type === type);

test("what Python sets is seen and not sent back to it, and what the reader sets is saved", () => {
  const model = kernel.model();
  const store = storeOf(model);
  model.push("kind", "d-ice");
  expect(store.kind.value).toBe("d-ice");
  store.set("rank_by", "heterogeneity");
  expect(model.saved).toEqual([["rank_by", "heterogeneity"]]);
  model.push("decay", 0.3);
  model.push("selection", [0, 4]);
  expect(model.saved.length).toBe(1);
});

test("intervals are requested anew for another decay only where the figure depends on it, and not while that moves", async () => {
  vi.useFakeTimers();
  const later = () => vi.advanceTimersByTimeAsync(400);
  const model = kernel.model({ ...kernel.partial(3), rank_by: "impact" });
  const store = storeOf(model);
  const decays = () => model.sent.flatMap((sent) => (sent.type === "intervals" ? [sent.decay] : []));
  store.set("ci", 0.9);
  await later();
  expect(decays()).toEqual([]); // while features are computed
  model.push("_impact", kernel.impact);
  model.push("_profile", kernel.profile);
  model.push("_status", { state: "ready", done: 8, total: 8, label: "", message: "", n_rows: null, n_all: null });
  await later();
  const of = { rank_by: "impact", level: 0.9, decay: 0.75 };
  expect(questions(model, "intervals")).toMatchObject([of]);
  store.drag("decay", 0.4);
  expect(store.ranking.value.some(({ interval }) => interval !== null)).toBe(true);
  store.release();
  await later();
  store.set("rank_by", "in_distribution_impact");
  await later();
  for (const decay of [0.7, 0.4, 0.5]) {
    store.drag("decay", decay);
    expect(store.whiskers.value).toEqual({ state: "idle", share: 0, body: null });
    await later();
  }
  expect(decays()).toEqual([0.75, 0.4]);
  store.release();
  await later();
  expect([decays(), store.whiskers.value?.state]).toEqual([[0.75, 0.4, 0.5], "ready"]);
  model.recount = () => {};
  store.set("convention", "paper");
  await later();
  expect([decays().length, store.whiskers.value?.state]).toEqual([3, "idle"]);
  store.set("ci", null);
  expect(store.whiskers.value).toBeNull();
  expect(store.ranking.value.every(({ interval }) => interval === null)).toBe(true);
});

test("while the slider is dragged, values from elsewhere do not fight it", () => {
  const model = kernel.model();
  const store = storeOf(model);
  store.drag("decay", 0.5);
  model.push("decay", 0.9);
  expect(store.decay.value).toBe(0.5);
  store.drag("decay", 0.4);
  store.release();
  expect(store.decay.value).toBe(0.4);
  expect(model.get("decay")).toBe(0.4);
  model.push("decay", 0.8);
  expect(store.decay.value).toBe(0.8);
});

test("a drag tells Python at most every 100 ms, and its end at once", () => {
  vi.useFakeTimers();
  const model = kernel.model();
  const store = storeOf(model);
  for (let step = 0; step < 30; step++) {
    store.drag("decay", 0.7 - step / 100);
    vi.advanceTimersByTime(10);
  }
  store.release();
  store.release();
  vi.advanceTimersByTime(500);
  expect(model.saved.map(([, value]) => Number((value as number).toFixed(2)))).toEqual([0.7, 0.61, 0.51, 0.41]);
});

test("curves of a feature are asked for once, also when it is opened again", async () => {
  const model = kernel.model({ feature: "Age" });
  const store = storeOf(model);
  await ready(store);
  store.open("BMI");
  await vi.waitFor(() => expect(store.picture.value).toMatchObject({ loaded: { curves: { feature: "BMI" } } }));
  store.open("Age");
  await vi.waitFor(() => expect(store.picture.value).toMatchObject({ loaded: { curves: { feature: "Age" } } }));
  expect(questions(model, "curves").length).toBe(2);
});

test("figures that come in while curves are awaited do not ask again", async () => {
  const model = kernel.model({ feature: "Age" });
  model.answer = () => null;
  storeOf(model);
  model.push("_impact", new DataView(kernel.impact.slice().buffer));
  model.push("color_by", "BMI");
  expect(questions(model, "curves").length).toBe(1);
});

test("only the last of several features that were opened quickly is shown", async () => {
  const model = kernel.model({ feature: "Age" });
  const store = storeOf(model);
  const shown: string[] = [];
  const stop = store.picture.subscribe((picture) => {
    if (picture.state === "ready") shown.push(picture.loaded!.curves.feature);
  });
  store.open("BMI");
  store.open("Marker");
  await ready(store);
  await new Promise((resolve) => setTimeout(resolve, 20));
  stop();
  expect(shown).toEqual(["Marker"]);
});

test("curves and colours arrive as one picture", async () => {
  const model = kernel.model({ feature: "Age", color_by: "Ward" });
  const { curves, colors } = await ready(storeOf(model));
  expect(colors?.scale.kind).toBe("category");
  expect(colors?.values.length).toBe(curves.n_lines);
});

test("a row is selected alone or cleared, with Shift added in order or taken out; row 0 like any other", () => {
  const store = storeOf(kernel.model());
  const select = (row: number, adds: boolean) => {
    store.select(row, adds);
    return store.selection.value;
  };
  expect([select(0, false), select(0, false)]).toEqual([[0], []]);
  expect([select(7, false), select(2, true), select(7, true), select(5, false)]).toEqual([[7], [2, 7], [2], [5]]);
});

test("a brush selects at once here, whatever Python echoes; Python hears of it now and then, and of the last when it is let go", () => {
  vi.useFakeTimers();
  const model = kernel.model();
  const store = storeOf(model);
  for (let row = 0; row < 10; row++) store.drag("selection", [row]);
  expect(store.selection.value).toEqual([9]);
  expect(store.brushing.value).toBe(true);
  expect(model.saved.filter(([name]) => name === "selection")).toEqual([["selection", [0]]]);
  store.release();
  expect(model.saved.at(-1)).toEqual(["selection", [9]]);
  expect(store.brushing.value).toBe(false);
  store.drag("selection", [1]);
  store.drag("selection", [1, 2]);
  model.push("selection", [1]);
  expect(store.selection.value).toEqual([1, 2]);
  store.release();
  model.push("selection", [5]);
  expect(store.selection.value).toEqual([5]);
});

test("a selected row that is not drawn is fetched; drawn ones are not", async () => {
  const model = kernel.model({ feature: "Age", max_lines: 10 });
  const store = storeOf(model);
  const first = await ready(store);
  const before = store.picture.value;
  store.select(first.curves.positions[1]!, false);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([store.picture.value === before, questions(model, "curves").length]).toEqual([true, 1]);
  model.push("selection", [1]);
  await vi.waitFor(() => expect(questions(model, "curves").length).toBe(2));
  await vi.waitFor(() => expect(store.loaded.value!.curves.positions).toContain(1));
});

test("what the kernel takes back is seen, with its sentence until something else is set", () => {
  const model = kernel.model();
  const store = storeOf(model);
  store.setMaxLines(7);
  model.push("max_lines", 500);
  model.emit("msg:custom", { type: "refused", message: "`max_lines` must be an even number; got 7." }, []);
  expect([store.maxLines.value, store.refusal.value]).toEqual([500, "`max_lines` must be an even number; got 7."]);
  const saved = model.saved.length;
  model.push("max_lines", 400);
  expect(model.saved.length).toBe(saved); // what comes from the kernel is not sent back to it
  store.set("kind", "d-ice");
  expect(store.refusal.value).toBeNull();
});

test.each(["decay", "selection", "anchor"] as const)(
  "what is taken back while it is dragged shows when it is let go: %s",
  (name) => {
    const model = kernel.model({ decay: 0.5, selection: [3], anchor: "max" });
    const store = storeOf(model);
    const had = model.get(name);
    if (name === "decay") store.drag("decay", 0.25);
    if (name === "selection") store.drag("selection", [1, 2]);
    if (name === "anchor") store.drag("anchor", 20);
    model.push(name, had);
    expect(store[name].value).not.toEqual(had);
    store.release();
    store.release();
    expect(store[name].value).toEqual(had);
  },
);

test("traits of a kernel with another protocol stand at their defaults, and the page says so", () => {
  const header = { ...kernel.header, protocol: 5 };
  const store = storeOf(
    kernel.model({
      kind: "e-ice" as never,
      selection: null as never,
      _view: { left: "map" as never },
      _header: header,
    }),
  );
  expect([store.kind.value, store.selection.value, store.figures.value]).toEqual(["ice", [], null]);
  expect(store.remembered.of("left").value).toBe("bars");
  expect(store.problem.value).toMatch(/^This view uses protocol \d+, the kernel uses protocol 5\. Restart the kernel/);
});
