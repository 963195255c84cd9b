/** A row that was clicked: its card, its own value, and the others that are pinned. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { frame, kernel, type Mounted, mount } from "./mount.ts";

async function pinned(width = 1000, keys = "{ArrowUp}{Enter}", color: string | null = null): Promise<Mounted> {
  const mounted = mount(kernel.model({ feature: "Age", max_lines: 5, color_by: color }), width);
  await mounted.drawn("Age");
  // The pointer of the test before may rest where this plot is.
  await userEvent.hover(mounted.part("facts"));
  mounted.part("plot").focus();
  await userEvent.keyboard(keys);
  await expect.poll(() => mounted.part("row-card").hidden).toBe(false);
  await expect.poll(() => mounted.part("row-card-values").children.length).toBeGreaterThan(0);
  return mounted;
}

test("the card tells all values of the row, the open feature first", async () => {
  const { part, model } = await pinned(1000, "{ArrowUp}{Enter}", "Ward");
  const [row] = model.get("selection");
  expect(part("row-card-title").textContent).toBe(`Row ${row}`);
  const first = part("row-card-values").firstElementChild!;
  expect(first.textContent).toBe(`Age${kernel.data.features[0]!.values[row!]}`);
  expect(first.getAttribute("aria-current")).toBe("true");
  expect(part("row-card-values").children.length).toBe(9);
  expect(part("row-card").textContent).toMatch(/prediction0\.\d+Ward/);
});

test("its own value is marked at the curve and on the axis", async () => {
  const { part, model } = await pinned();
  const [row] = model.get("selection");
  expect(part("own-value").dataset.row).toBe(String(row));
  expect(part("own-value").textContent).toBe(String(kernel.data.features[0]!.values[row!]));
});

test.each([1000, 760, 400])("at %i px the card stays inside and leaves the dot free", async (width) => {
  const mounted = await pinned(width);
  for (const key of ["{ArrowUp}{Enter}", "{ArrowUp}{Enter}", "{ArrowUp}{Enter}", "{ArrowUp}{Enter}"]) {
    await frame();
    const card = mounted.part("row-card").getBoundingClientRect();
    const dot = mounted.part("own-value").querySelector("circle")!.getBoundingClientRect();
    const panel = mounted.part("curves").getBoundingClientRect();
    expect(card.left).toBeGreaterThanOrEqual(panel.left - 1);
    expect(card.right).toBeLessThanOrEqual(panel.right + 1);
    const apart = card.left > dot.right || card.right < dot.left || card.top > dot.bottom || card.bottom < dot.top;
    expect(apart).toBe(true);
    mounted.part("plot").focus();
    await userEvent.keyboard(key);
  }
});

test("several pinned rows are gone through", async () => {
  const mounted = await pinned(1000, "{ArrowUp}{Enter}{ArrowUp}{Shift>}{Enter}{/Shift}");
  const { part } = mounted;
  await expect.poll(() => part("row-card-place").textContent).toBe("2 of 2");
  const title = part("row-card-title").textContent;
  await userEvent.click(part("row-card-after"));
  await expect.poll(() => part("row-card-place").textContent).toBe("1 of 2");
  expect(part("row-card-title").textContent).not.toBe(title);
  await userEvent.click(part("row-card-before"));
  await expect.poll(() => part("row-card-title").textContent).toBe(title);
});

test.each(["Escape", "the button"])("%s closes the card, and the row stays selected", async (how) => {
  const mounted = await pinned();
  if (how === "Escape") await userEvent.keyboard("{Escape}");
  else await userEvent.click(mounted.part("row-card-close"));
  await expect.poll(() => mounted.part("row-card").hidden).toBe(true);
  expect(mounted.parts("own-value")).toEqual([]);
  expect(mounted.model.get("selection").length).toBe(1);
});

test("a row that is no longer selected has no card", async () => {
  const mounted = await pinned();
  mounted.model.push("selection", []);
  await expect.poll(() => mounted.part("row-card").hidden).toBe(true);
});

test("values that cannot be read are explained in the card", async () => {
  const model = kernel.model({ feature: "Age", max_lines: 5 });
  const message = "The data of row 3 cannot be read.";
  model.answer = (request) =>
    request.type === "rows" ? { reply: { id: request.id, type: "error", message } } : kernel.answer(request);
  const mounted = mount(model);
  await mounted.drawn("Age");
  mounted.part("plot").focus();
  await userEvent.keyboard("{ArrowUp}{Enter}");
  await expect.poll(() => mounted.part("row-card-values").textContent).toBe(message);
});
