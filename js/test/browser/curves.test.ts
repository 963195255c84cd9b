import { expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { names } from "../../dev/explorers.ts";
import { repeated } from "../../dev/made_up.ts";
import { explanation } from "../../src/text/glossary.ts";
import {
  choose,
  frame,
  ink,
  kernel,
  letGo,
  type Mounted,
  mount,
  mountDrawn,
  press,
  questions,
  slideTo,
} from "./mount.ts";

/** Where a row's own value lies in the plot, in px of its upper left corner. */
function dotOf({ part }: Mounted): { x: number; y: number } {
  const circle = part("plot").querySelector("[data-test=hovered-line] circle, [data-test=selected-line] circle")!;
  return { x: Number(circle.getAttribute("cx")), y: Number(circle.getAttribute("cy")) };
}

const selectedRows = ({ parts }: Mounted) => parts("selected-line").map(({ dataset }) => Number(dataset.row));

test("the curves of the open feature are drawn, with the number of lines and the time it took", async () => {
  const { root, drawn, part } = mount();
  await drawn(kernel.top);
  expect(root.dataset).toMatchObject({ kind: "ice", drawnLines: "300" });
  expect(Number(root.dataset.frameMs)).toBeGreaterThan(0);
  expect(ink(part("curves-canvas"))).toBeGreaterThan(100);
  expect(part("histogram").getAttribute("d")).toMatch(/^M/);
});

test("the kind is switched without the kernel, and the axis says what it shows", async () => {
  const { root, part, model } = await mountDrawn();
  const asked = questions(model);
  expect(part("y-title").textContent).toBe("↑ probability of readmitted");
  await userEvent.click(part("kind-c-ice"));
  await expect.poll(() => root.dataset.kind).toBe("c-ice");
  expect(part("y-title").textContent).toBe("↑ change of the probability of readmitted from Age = 18");
  await userEvent.click(part("kind-d-ice"));
  await expect.poll(() => root.dataset.kind).toBe("d-ice");
  expect(part("y-title").textContent).toContain("↑ slope of the probability of readmitted per unit of Age");
  expect(questions(model)).toBe(asked);
  expect(model.get("kind")).toBe("d-ice");
});

test("less decay weight fades the lines while the slider moves", async () => {
  const { part } = await mountDrawn(kernel.model({ feature: "Age", decay: 1 }));
  const full = ink(part("curves-canvas"));
  await slideTo(part("decay-slider"), 0.2);
  expect(ink(part("curves-canvas"))).toBeLessThan(0.8 * full);
  await letGo(part("decay-slider"));
  expect(ink(part("curves-canvas"))).toBeGreaterThan(0);
});

test("all lines are drawn again when the slider rests or is let go", async () => {
  const { root, part } = await mountDrawn(repeated(kernel, 5, { feature: "Age" }));
  expect(root.dataset.drawnLines).toBe("1500");
  for (let decay = 0.9; decay > 0.5; decay -= 0.02) {
    await slideTo(part("decay-slider"), decay);
  }
  await expect.poll(() => root.dataset.drawnLines).toBe("1500");
  await slideTo(part("decay-slider"), 0.3);
  letGo(part("decay-slider"));
  await expect.poll(() => root.dataset.drawnLines).toBe("1500");
});

test("the pointer names the row under it, by its label where it has one", async () => {
  const mounted = await mountDrawn(names.model({ feature: "x", color_by: "Ward", max_lines: 5 }));
  mounted.part("plot").focus();
  await press("{ArrowUp}");
  const { x, y } = dotOf(mounted);
  await userEvent.hover(page.elementLocator(mounted.part("plot")), { position: { x, y } });
  await expect.poll(() => mounted.part("tooltip").hidden).toBe(false);
  expect(mounted.part("tooltip").textContent).toMatch(
    /^patient (\d+) \(row \1\)observed x\d+prediction there[\d.]+at [\d.]+Ward/,
  );
  await userEvent.hover(page.elementLocator(mounted.part("sentence")));
  await expect.poll(() => mounted.part("tooltip").hidden).toBe(true);
  expect(mounted.parts("hovered-line")).toEqual([]);
});

test("a curve away from the observed value says how much the value counts there, and what that means", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", max_lines: 1, decay: 0.5 }));
  const plot = mounted.part("plot");
  plot.focus();
  await press("{ArrowUp}");
  const tooltip = mounted.part("tooltip");
  expect(tooltip.textContent).not.toContain("weight of");
  const { x, y } = dotOf(mounted);
  const { width } = plot.getBoundingClientRect();
  const far = { x: x < width / 2 ? width * 0.7 : width * 0.2, y };
  for (let height = 10; height < 300 && !tooltip.textContent!.includes("weight of"); height += 15) {
    await userEvent.hover(page.elementLocator(plot), { position: { ...far, y: height } });
    await frame();
  }
  expect(tooltip.textContent).toMatch(/weight of [\d.]+?\d+.%/);
  expect(tooltip.textContent).toContain(explanation("likelihood").text);
  slideTo(mounted.part("decay-slider"), 1);
  await userEvent.hover(page.elementLocator(plot), { position: { x, y } });
  await frame();
  expect(tooltip.textContent).not.toContain("weight of");
});

test("a click on a line selects its row, row 0 like any other, and another click clears it", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", max_lines: 1 }));
  const { part, model } = mounted;
  part("plot").focus();
  await press("{ArrowUp}");
  const at = dotOf(mounted);
  for (const rows of [[0], []]) {
    // A new object each time: the driver scales the one it is given.
    await userEvent.click(page.elementLocator(part("plot")), { position: { ...at } });
    await expect.poll(() => selectedRows(mounted)).toEqual(rows);
    expect(model.get("selection")).toEqual(rows);
  }
});

test("lines are gone through, selected and cleared with the keyboard alone", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", max_lines: 5 }));
  const { part, model } = mounted;
  part("plot").focus();
  await userEvent.keyboard("{ArrowUp}{Enter}{ArrowUp}{Shift>}{Enter}{/Shift}");
  await expect.poll(() => selectedRows(mounted).length).toBe(2);
  expect(model.get("selection")).toEqual([...selectedRows(mounted)].sort((a, b) => a - b));
  await expect.poll(() => part("row-card").hidden).toBe(false);
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => part("row-card").hidden).toBe(true);
  expect(selectedRows(mounted).length).toBe(2);
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => selectedRows(mounted)).toEqual([]);
  expect(model.get("selection")).toEqual([]);
});

test("colouring by a number shows a ramp with its ends; a level is hidden and shown again from the legend", async () => {
  const { root, part, parts, model } = await mountDrawn();
  expect(part("legend").hidden).toBe(true);
  choose(part("color-by"), "BMI");
  await expect.poll(() => part("legend").textContent).toMatch(/^BMI[\d.]+[\d.]+$/);
  expect([part("legend").hidden, model.get("color_by")]).toEqual([false, "BMI"]);
  choose(part("color-by"), "Smoker");
  await expect
    .poll(() => parts("legend-level").map(({ textContent }) => textContent))
    .toEqual(["False 209 rows", "True 91 rows"]);
  const [level] = parts("legend-level");
  await userEvent.click(level!);
  await expect.poll(() => root.dataset.drawnLines).toBe("91");
  expect(level!.getAttribute("aria-pressed")).toBe("false");
  await userEvent.click(level!);
  await expect.poll(() => root.dataset.drawnLines).toBe("300");
  choose(part("color-by"), "");
  await expect.poll(() => part("legend").hidden).toBe(true);
});

test("before any feature is open the panel says what will happen", async () => {
  const { part } = mount(kernel.model({ ...kernel.partial(0), feature: "" }));
  await expect.poll(() => part("curves").dataset.state).toBe("empty");
  expect(part("curves-message").textContent).toBe(
    "The first curves appear here in a moment. Choose a feature to see it sooner.",
  );
});

test("while curves are awaited the panel says so, and after ten seconds that there may be no kernel", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const model = kernel.model({ feature: "Age" });
  model.answer = () => null;
  const { part } = mount(model);
  const drawn = () => new Promise(requestAnimationFrame);
  await drawn();
  expect(part("curves-message").textContent).toBe("Computing the curves of Age …");
  vi.advanceTimersByTime(10_000);
  await drawn();
  expect(part("curves-message").textContent).toBe(
    "Still waiting for the curves of Age: the kernel is busy or not connected.",
  );
});
