/** Long use: what is opened, drawn and closed again leaves no nodes behind. */

import { expect, test } from "vitest";
import { cdp } from "vitest/browser";
import { clinic, FakeKernel } from "../../dev/model.ts";
import { choose, frame, type Mounted, mountDrawn, slideTo } from "./mount.ts";
import { drag, letGo } from "./pointer.ts";

/** As often as it takes to tell a node that is left each time from those that come and go. */
const TIMES = 24;
const kernel = new FakeKernel(clinic(60));

/** Nodes that are kept, in the page or outside, after a garbage collection. */
async function kept(): Promise<number> {
  const session = cdp() as unknown as { send(method: string): Promise<{ metrics: { name: string; value: number }[] }> };
  await session.send("Performance.enable");
  for (let round = 0; round < 3; round++) {
    await session.send("HeapProfiler.collectGarbage");
    await frame();
  }
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "Nodes")!.value;
}

const features = ["Age", "BMI", "Marker", "Height"];
const ACTIONS: Record<string, (mounted: Mounted, time: number) => Promise<void> | void> = {
  "another feature": async ({ bar, drawn }, time) => {
    const feature = features[time % features.length]!;
    bar(feature).click();
    await drawn(feature);
  },
  "another kind": ({ part }, time) => part(`kind-${["ice", "c-ice", "d-ice"][time % 3]}`).click(),
  "another colour": async ({ part }, time) => {
    await choose(part("color-by"), ["", "Smoker", "BMI"][time % 3]!);
  },
  "the View menu": ({ part }) => part("view").click(),
  "the Export menu": ({ part }) => part("export").click(),
  "the export dialog": async ({ part }) => {
    part("export").click();
    part("export-more").click();
    await frame();
    part("dialog-cancel").click();
  },
  "a row": ({ model }, time) => model.push("selection", time % 2 === 0 ? [time % 50] : []),
  "many rows": ({ model }, time) =>
    model.push(
      "selection",
      Array.from({ length: 25 }, (_, row) => row + (time % 20)),
    ),
  "a brush": async (mounted) => {
    drag(mounted, { x: 300, y: 120 }, { x: 300, y: 220 });
    await letGo(mounted, { x: 300, y: 220 });
    mounted.part("brush-remove").click();
  },
  "a comparison": async ({ model }, time) => {
    model.push("_view", { compared: time % 2 === 0 ? ["Marker", "BMI"] : [] });
    await frame();
  },
  "the tab of all features": async ({ model }, time) => {
    model.push("_view", { right: time % 2 === 0 ? "all" : "feature" });
    await frame();
  },
  "the map": async ({ model }, time) => {
    model.push("_view", { left: time % 2 === 0 ? "map" : "bars" });
    await frame();
  },
  "a metric": ({ part }, time) => choose(part("rank-by"), time % 2 === 0 ? "impact" : "heterogeneity"),
  "the slider": async ({ part }, time) => {
    for (let step = 1; step < 5; step++) {
      await slideTo(part("decay-slider"), 0.1 + 0.2 * step - 0.01 * (time % 3));
    }
    part("decay-slider").dispatchEvent(new Event("change", { bubbles: true }));
  },
  "another output": async ({ model }, time) => {
    const { _status, _impact, _profile } = kernel.partial(3);
    model.push("_header", { ...kernel.header, output_label: `probability of ${time % 2}` });
    for (const [name, value] of Object.entries({ _impact, _profile, _status }))
      model.push(name as "_status", value as never);
    await frame();
    const whole = kernel.model();
    for (const name of ["_impact", "_profile", "_status"] as const) model.push(name, whole.get(name));
    await new Promise((resolve) => setTimeout(resolve, 100));
  },
  "a cancel": async ({ model }, time) => {
    const state = time % 2 === 0 ? "cancelled" : "ready";
    model.push("_status", { ...model.get("_status"), state, message: "Cancelled after 3 of 8 features." });
    await frame();
  },
  "a tooltip": async ({ part }) => {
    const node = part("facts").querySelector<HTMLElement>("[data-explanation]")!;
    node.click();
    await frame();
    node.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  },
};

test.each(Object.keys(ACTIONS))("%s leaves nothing behind", async (name) => {
  const mounted = await mountDrawn();
  const repeat = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await ACTIONS[name]!(mounted, time);
      await frame();
    }
    await frame();
  };
  await repeat(6); // so that what is made once is there
  const before = await kept();
  await repeat(TIMES);
  const after = await kept();
  expect(after - before).toBeLessThan(3 * TIMES);
});
