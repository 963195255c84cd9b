import { expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { frame, kernel, mountDrawn } from "./mount.ts";

test("selected rows are read from the kernel when their fold is opened, predictions and the open feature first; x.selected can be copied", async () => {
  const { part, model } = await mountDrawn(kernel.model({ feature: "BMI", selection: [0, 7] }));
  expect(part("selected-count-text").textContent).toBe("2 rows: ");
  expect(part("selected-summary").textContent).toBe("Table of 2 selected rows");
  expect(model.sent.some(({ type }) => type === "rows")).toBe(false);
  await userEvent.click(part("selected-summary"));
  const cells = (selector: string) =>
    [...part("selected-rows").querySelectorAll(selector)].map(({ textContent }) => textContent);
  await expect.poll(() => cells("tbody th")).toEqual(["0", "7"]);
  expect(cells("thead th").slice(0, 4)).toEqual(["row", "prediction", "BMI", "Age"]);
  const values = kernel.observed("BMI");
  expect(cells("tbody td:nth-child(3)")).toEqual([values[0]!.toFixed(1), values[7]!.toFixed(1)]);
  model.push("selection", [7, 9]);
  await expect.poll(() => cells("tbody th")).toEqual(["7", "9"]);
  expect(part("selected-code").textContent).toBe("x.selected");
  const written: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void written.push(text));
  onTestFinished(() => void vi.restoreAllMocks());
  await userEvent.click(part("copy-selected"));
  await expect.poll(() => part("copy-selected").textContent).toBe("Copied");
  expect(written).toEqual(["x.selected"]);
});

test("a click on a heading sorts all selected rows, another turns the order round, a third ends it", async () => {
  const selection = Array.from({ length: 50 }, (_, row) => row);
  const { part } = await mountDrawn(kernel.model({ feature: "BMI", selection }));
  expect(part("selected-summary").textContent).toBe("Table: 20 of 50 selected rows");
  await userEvent.click(part("selected-summary"));
  const heading = () => part("selected-rows").querySelectorAll("thead th")[2]!;
  const first = () => part("selected-rows").querySelector("tbody td:nth-child(3)")?.textContent;
  const rows = () => [...part("selected-rows").querySelectorAll("tbody th")].map(({ textContent }) => textContent);
  await expect.poll(() => rows().length).toBe(20);
  const known = kernel.observed("BMI").slice(0, 50);
  await userEvent.click(heading().querySelector("button")!);
  await expect.poll(first).toBe(Math.min(...known).toFixed(1));
  expect(heading().getAttribute("aria-sort")).toBe("ascending");
  await userEvent.click(heading().querySelector("button")!);
  await expect.poll(first).toBe(Math.max(...known).toFixed(1));
  expect(heading().getAttribute("aria-sort")).toBe("descending");
  await userEvent.click(heading().querySelector("button")!);
  await expect.poll(() => rows().slice(0, 3)).toEqual(["0", "1", "2"]);
});

test("chips tell what the rows have in common, and colour by it", async () => {
  const selection = kernel.observed("Age").flatMap((age, row) => (age > 60 ? [row] : []));
  const { part, parts, model } = await mountDrawn(kernel.model({ feature: "BMI", selection }));
  await expect.poll(() => parts("common").length).toBeGreaterThan(0);
  const [chip] = parts("common");
  expect(chip!.textContent).toMatch(/^Age ≥ 6\d \d+\u00a0% of these, \d+\u00a0% of other rows$/);
  await userEvent.click(chip!);
  expect(model.get("color_by")).toBe("Age");
  await expect.poll(() => chip!.getAttribute("aria-pressed")).toBe("true");
  await userEvent.click(chip!);
  expect(model.get("color_by")).toBe(null);
  model.push("selection", [3]);
  await expect.poll(() => part("in-common").hidden).toBe(true);
});

test("several selected rows have a mean, and the colours of the legend; a button clears the selection", async () => {
  const selection = [3, 4, 5];
  const { part, parts, model } = await mountDrawn(kernel.model({ feature: "BMI", selection, color_by: "Ward" }));
  await expect.poll(() => part("selected-mean").dataset.rows).toBe("3");
  const colors = parts("selected-line").map((line) => line.style.getPropertyValue("--ice-line"));
  expect(colors.every((color) => color.startsWith("rgb("))).toBe(true);
  model.push("color_by", null);
  await expect.poll(() => parts("selected-line")[0]?.style.getPropertyValue("--ice-line")).toBe("");
  model.push("selection", [3]);
  await expect.poll(() => parts("selected-mean").length).toBe(0);
  await userEvent.click(part("clear-selection"));
  await frame();
  expect(model.get("selection")).toEqual([]);
  expect(part("selected-rows").checkVisibility()).toBe(false);
});
