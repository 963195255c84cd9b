/** Long use: what is opened, drawn and closed again leaves no nodes behind. */

import { expect, test } from "vitest";
import type { ViewChoices } from "../../src/wire/protocol.ts";
import { command } from "./hosts.ts";
import { choose, frame, kernel, type Mounted, mountDrawn, slideTo } from "./mount.ts";
import { drag, letGo } from "./pointer.ts";

/** As often as it takes to tell a node that is left each time from those that come and go. */
const TIMES = 24;

/** Nodes that are kept, in the page or outside, after a garbage collection. */
async function kept(): Promise<number> {
  await command("Performance.enable");
  for (let round = 0; round < 3; round++) {
    await command("HeapProfiler.collectGarbage");
    await frame();
  }
  const { metrics } = await command<{ metrics: { name: string; value: number }[] }>("Performance.getMetrics");
  return metrics.find(({ name }) => name === "Nodes")!.value;
}

type Action = (mounted: Mounted, time: number) => Promise<void> | void;

/** Sets one choice and another one by turns. */
const turns =
  (...views: Partial<ViewChoices>[]): Action =>
  ({ model }, time) => {
    model.push("_view", after(views, time));
    return frame();
  };
const after = <T>(list: readonly T[], time: number): T => list[time % list.length]!;

/** The dearest parts of the page. */
const MANY: Record<string, Action> = {
  "another feature": async ({ bar, drawn }, time) => {
    const feature = after(["Age", "BMI", "Marker", "Height"], time);
    bar(feature).click();
    await drawn(feature);
  },
  "compared features": turns({ right: "all", compared: ["Marker", "BMI"] }, { right: "all", compared: [] }),
  "the tab of all features": turns({ right: "all" }, { right: "feature" }),
  "many rows": ({ model }, time) =>
    model.push(
      "selection",
      [...Array(25).keys()].map((row) => row + (time % 20)),
    ),
};

const OTHERS: Record<string, Action> = {
  "another kind": ({ part }, time) => part(`kind-${after(["ice", "c-ice", "d-ice"], time)}`).click(),
  "another colour": ({ part }, time) => choose(part("color-by"), after(["", "Smoker", "BMI"], time)),
  "the View menu": ({ part }) => part("view").click(),
  "the Export menu": ({ part }) => part("export").click(),
  "a row": ({ model }, time) => model.push("selection", time % 2 === 0 ? [time % 50] : []),
  "a brush": async (mounted) => {
    drag(mounted, { x: 300, y: 120 }, { x: 300, y: 220 });
    await letGo(mounted, { x: 300, y: 220 });
    mounted.part("brush-remove").click();
  },
  interactions: turns({ left: "interactions" }, { left: "bars" }),
  "a metric": ({ part }, time) => choose(part("rank-by"), after(["impact", "heterogeneity"], time)),
  "the slider": async ({ part }, time) => {
    for (let step = 1; step < 5; step++) await slideTo(part("decay-slider"), 0.1 + 0.2 * step - 0.01 * (time % 3));
    part("decay-slider").dispatchEvent(new Event("change", { bubbles: true }));
  },
  "another output": async ({ model }, time) => {
    const tables = ["_impact", "_profile", "_status"] as const;
    const [some, whole] = [kernel.partial(3), kernel.model()];
    model.push("_header", { ...kernel.header, output_label: `probability of ${time % 2}` });
    for (const name of tables) model.push(name, some[name]!);
    await frame();
    for (const name of tables) model.push(name, whole.get(name));
    await new Promise((resolve) => setTimeout(resolve, 100));
  },
  "a cancel": ({ model }, time) => {
    const state = after(["cancelled", "ready"] as const, time);
    model.push("_status", { ...model.get("_status"), state, message: "Cancelled after 3 of 8 features." });
  },
  "a tooltip": async ({ part }) => {
    const node = part("facts");
    node.click();
    await frame();
    node.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  },
};

async function check(action: Action): Promise<void> {
  const mounted = await mountDrawn(kernel.model({ feature: "Age" }));
  const repeat = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await action(mounted, time);
      await frame();
    }
    await frame();
  };
  await repeat(6); // so that what is made once is there
  const before = await kept();
  await repeat(TIMES);
  // What is on its way is let go soon; what is left behind stays.
  await expect.poll(async () => (await kept()) - before, { timeout: 10_000 }).toBeLessThan(3 * TIMES);
}

test.each(Object.entries(MANY))("%s leaves nothing behind", (_name, action) => check(action));

test.each(Object.entries(OTHERS))("%s leaves nothing behind", { tags: ["slow"] }, (_name, action) => check(action));
