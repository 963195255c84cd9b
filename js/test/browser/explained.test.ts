import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { FakeKernel, rentals } from "../../dev/model.ts";
import { explanation } from "../../src/glossary.ts";
import { kernel, type Mounted, mount } from "./mount.ts";

const label = ({ part }: Mounted, text: string): HTMLElement =>
  [...part("facts").querySelectorAll<HTMLElement>("[data-explanation]")].find((node) => node.textContent === text)!;

async function mounted(): Promise<Mounted> {
  const explorer = mount(kernel.model({ feature: "Age" }));
  await explorer.drawn("Age");
  return explorer;
}

test("the pointer on a figure shows what it is, and leaving it takes the tooltip away", async () => {
  const explorer = await mounted();
  const tooltip = explorer.part("tooltip");
  await userEvent.hover(label(explorer, "impact"));
  await expect.poll(() => tooltip.hidden).toBe(false);
  expect(tooltip.textContent).toBe(explanation("impact").name + explanation("impact").text);
  await userEvent.hover(explorer.part("feature-title"));
  await expect.poll(() => tooltip.hidden).toBe(true);
});

test("the Tab key reaches a figure, shows what it is and describes it; Escape and leaving it close the tooltip", async () => {
  const explorer = await mounted();
  const tooltip = explorer.part("tooltip");
  const before = label(explorer, "impact");
  before.focus();
  await userEvent.keyboard("{Tab}");
  const node = label(explorer, "in distribution");
  expect(document.activeElement).toBe(node);
  expect(tooltip.hidden).toBe(false);
  expect(tooltip.textContent).toContain(explanation("in_distribution_impact").text);
  expect(node.getAttribute("aria-describedby")).toBe(tooltip.id);
  await userEvent.keyboard("{Escape}");
  expect([tooltip.hidden, node.getAttribute("aria-describedby"), document.activeElement]).toEqual([true, null, node]);
  await userEvent.keyboard("{Tab}");
  expect(tooltip.textContent).toContain(explanation("heterogeneity").text);
  (document.activeElement as HTMLElement).blur();
  expect(tooltip.hidden).toBe(true);
});

test("a tap on a figure shows what it is", async () => {
  const explorer = await mounted();
  label(explorer, "heterogeneity").click();
  expect(explorer.part("tooltip").textContent).toContain(explanation("heterogeneity").text);
});

test("JupyterLab leaves the keys to what is explained", async () => {
  const explorer = await mounted();
  for (const node of explorer.root.querySelectorAll<HTMLElement>("[data-explanation]")) {
    // Of the buttons of a radio group, the Tab key reaches one.
    if (!node.matches("[role=radio]")) expect(node.tabIndex, node.textContent ?? "").toBe(0);
    expect(node.dataset.lmSuppressShortcuts, node.textContent ?? "").toBe("true");
  }
});

test("a figure of a feature whose levels have no order has the sentence of such features", async () => {
  const explorer = mount(new FakeKernel(rentals(120)).model({ feature: "District" }));
  await explorer.drawn("District");
  expect(label(explorer, "impact").dataset.explanation).toBe(explanation("impact", "unordered").text);
});
