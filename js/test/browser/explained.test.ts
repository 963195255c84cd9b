import { expect, onTestFinished, test } from "vitest";
import { userEvent } from "vitest/browser";
import { explanation } from "../../src/text/glossary.ts";
import { frame, kernel, type Mounted, mountDrawn, press } from "./mount.ts";

/** Terms of the key under the bars. */
const label = ({ part }: Mounted, text: string): HTMLElement =>
  [...part("ranking").querySelectorAll<HTMLElement>(".ice-key [data-explanation]")].find(
    (node) => node.textContent === text,
  )!;

test("the pointer on a term, or a tap, shows what it is, and leaving it takes the tooltip away", async () => {
  const explorer = await mountDrawn();
  const tooltip = explorer.part("tooltip");
  await userEvent.hover(label(explorer, "net rise or fall"));
  await expect.poll(() => tooltip.hidden).toBe(false);
  expect(tooltip.textContent).toBe(explanation("sign", "numeric").name + explanation("sign", "numeric").text);
  await userEvent.hover(explorer.part("feature-title"));
  await expect.poll(() => tooltip.hidden).toBe(true);
  label(explorer, "all values alike").click();
  await frame();
  expect(explorer.part("tooltip").textContent).toContain(explanation("tick").text);
});

test("the Tab key reaches a term, shows what it is and describes it; Escape and leaving it close the tooltip", async () => {
  const explorer = await mountDrawn();
  const tooltip = explorer.part("tooltip");
  label(explorer, "all values alike").focus();
  await press("{Tab}");
  const node = label(explorer, "net rise or fall");
  expect(document.activeElement).toBe(node);
  expect(tooltip.hidden).toBe(false);
  expect(tooltip.textContent).toContain(explanation("sign", "numeric").text);
  expect(node.getAttribute("aria-describedby")).toBe(tooltip.id);
  await press("{Escape}");
  expect([tooltip.hidden, node.getAttribute("aria-describedby"), document.activeElement]).toEqual([true, null, node]);
  await press("{Shift>}{Tab}{/Shift}");
  expect(tooltip.textContent).toContain(explanation("tick").text);
  (document.activeElement as HTMLElement).blur();
  await frame();
  expect(tooltip.hidden).toBe(true);
});

test("an explanation is above the menu that it is in, and inside of the notebook that scrolls", async () => {
  const notebook = document.createElement("div");
  notebook.style.cssText = "overflow: auto; height: 420px";
  document.body.append(notebook);
  onTestFinished(() => notebook.remove());
  const { part } = await mountDrawn(kernel.model({ feature: "Age" }), 1000, notebook);
  const tooltip = part("tooltip");
  const isOnTop = () => {
    const { left, top } = tooltip.getBoundingClientRect();
    tooltip.style.pointerEvents = "auto";
    return tooltip.contains(document.elementFromPoint(left + 20, top + 10));
  };
  await expect.poll(() => part("drivers").dataset.state).toBe("ready");
  part("why").click();
  await userEvent.hover(part("drivers-lead"));
  await expect.poll(() => tooltip.hidden).toBe(false);
  expect(isOnTop()).toBe(true);
  await press("{Escape}");
  notebook.scrollTop = part("unlike-note").getBoundingClientRect().bottom - 400;
  await userEvent.hover(part("unlike-note"));
  await expect.poll(() => tooltip.textContent).toContain(explanation("unlike").text);
  expect(tooltip.getBoundingClientRect().bottom).toBeLessThanOrEqual(notebook.getBoundingClientRect().bottom);
});

test("the figures of the feature and its rank are in the tooltip of the sentence", async () => {
  const { part } = await mountDrawn();
  const { explanation: figures, explanationTitle: rank } = part("facts").dataset;
  expect(rank).toMatch(/^Rank \d of 8\.$/);
  expect(figures).toMatch(/^impact: 0\.\d+\nin distribution: 0\.\d+\nheterogeneity: 0\.\d+\nnon-linearity: 0\.\d+/);
});

test("a control shows its hint on keyboard focus, once, also that of its label; a name that is read out already does not describe it", async () => {
  const explorer = await mountDrawn(kernel.model({ feature: "Age", color_by: "BMI", selection: [3] }));
  const { part } = explorer;
  const tooltip = part("tooltip");
  part("row").querySelector<HTMLElement>(".ice-row-label")!.focus();
  await press("{Tab}");
  expect(tooltip.textContent).toBe("Select the row with the highest prediction.");
  expect(part("row-highest").getAttribute("aria-describedby")).toBe(tooltip.id);
  await press("{Escape}");
  expect(tooltip.hidden).toBe(true);
  await expect.poll(() => part("row-card-close").checkVisibility()).toBe(true);
  part("row-card-item").focus();
  part("row-card-close").focus();
  await press("{Shift>}{Tab}{/Shift}{Tab}");
  expect(document.activeElement).toBe(part("row-card-close"));
  expect([tooltip.hidden, tooltip.textContent]).toEqual([false, "Close (Escape)"]);
  expect(part("row-card-close").hasAttribute("aria-describedby")).toBe(false);
});

test("a native title is the full form of text that may be cut, never what a control does", async () => {
  const explorer = await mountDrawn(kernel.model({ feature: "Age", color_by: "Smoker", selection: [3] }));
  await expect.poll(() => explorer.parts("row-card-item").length).toBeGreaterThan(1);
  await userEvent.click(explorer.part("view"));
  const controls = "button, input, select, option, label, [role=slider], [data-explanation]";
  const titled = [...explorer.root.querySelectorAll<HTMLElement>("[title]:not([title=''])")];
  expect(titled.length).toBeGreaterThan(0);
  expect(titled.filter((node) => node.matches(controls)).map(({ outerHTML }) => outerHTML)).toEqual([]);
});
