import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { frame, kernel, mount } from "./mount.ts";

test("selected rows are read from the kernel when their fold is opened, the open feature first", async () => {
  const { part, model, drawn } = mount(kernel.model({ feature: "BMI", selection: [0, 7] }));
  await drawn("BMI");
  expect(part("selected-summary").textContent).toBe("2 selected rows");
  expect(model.sent.some(({ type }) => type === "rows")).toBe(false);
  await userEvent.click(part("selected-summary"));
  const cells = (selector: string) =>
    [...part("selected-rows").querySelectorAll(selector)].map(({ textContent }) => textContent);
  await expect.poll(() => cells("tbody th")).toEqual(["0", "7"]);
  expect(cells("thead th").slice(0, 3)).toEqual(["row", "BMI", "Age"]);
  const { values } = kernel.data.features[1]!;
  expect(cells("tbody td:nth-child(2)")).toEqual([String(values[0]), String(values[7])]);
  model.push("selection", [7]);
  await expect.poll(() => cells("tbody th")).toEqual(["7"]);
});

test("the selection is cleared with a button, and then there is nothing to read", async () => {
  const { part, model, drawn } = mount(kernel.model({ feature: "BMI", selection: [3] }));
  await drawn("BMI");
  await userEvent.click(part("clear-selection"));
  await frame();
  expect(model.get("selection")).toEqual([]);
  expect(part("selected-rows").checkVisibility()).toBe(false);
});

test("only the first of many rows are read", async () => {
  const selection = Array.from({ length: 50 }, (_, row) => row);
  const { part, model, drawn } = mount(kernel.model({ feature: "BMI", selection }));
  await drawn("BMI");
  expect(part("selected-summary").textContent).toBe("50 selected rows, the first 20 of them");
  await userEvent.click(part("selected-summary"));
  await expect
    .poll(() => model.sent.find(({ type }) => type === "rows"))
    .toMatchObject({
      positions: selection.slice(0, 20),
    });
});

test("rows that cannot be read are explained", async () => {
  const model = kernel.model({ feature: "BMI", selection: [3] });
  const message = "`positions` must be row positions of X from 0 to 299; got 300. Leave it out.";
  model.answer = (request) =>
    request.type === "rows" ? { reply: { id: request.id, type: "error", message } } : kernel.answer(request);
  const { part, drawn } = mount(model);
  await drawn("BMI");
  await userEvent.click(part("selected-summary"));
  await expect.poll(() => part("selected-rows").querySelector("[role=alert]")?.textContent).toBe(message);
});
