/** One row: how it is chosen, its card, the crosshair on its curve, and the others that are pinned. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { frame, kernel, letGo, type Mounted, mount, mountDrawn, slideTo } from "./mount.ts";
import { move } from "./pointer.ts";

async function pinned(width = 1000, keys = "{ArrowUp}{Enter}", color: string | null = null): Promise<Mounted> {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", max_lines: 5, color_by: color }), width);
  mounted.part("plot").focus();
  await userEvent.keyboard(keys);
  await expect.poll(() => mounted.part("row-card").hidden).toBe(false);
  await expect.poll(() => mounted.part("row-card-values").children.length).toBeGreaterThan(0);
  return mounted;
}

test("the card tells what is predicted, and sorts features by how far each moves that; the observed value is marked", async () => {
  const { part, parts, model } = await pinned(1000, "{ArrowUp}{Enter}", "Ward");
  const [row] = model.get("selection");
  expect(part("row-card-title").textContent).toBe(`Row ${row}`);
  expect(part("row-card-outcomes").textContent).toMatch(/^prediction 0\.\d+$/);
  await expect.poll(() => part("row-card-lead").textContent).toBe("Largest change by one feature");
  expect(parts("row-card-item").length).toBe(5);
  await userEvent.click(part("row-card-more"));
  await expect.poll(() => parts("row-card-item").length).toBe(kernel.header.features.length);
  const items = parts("row-card-item");
  const sizes = items.map(({ lastElementChild }) => Math.abs(Number(lastElementChild!.textContent!.replace("−", "-"))));
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  expect(sizes[0]).toBeGreaterThan(0);
  expect(
    items.filter((item) => item.getAttribute("aria-current") === "true").map(({ dataset }) => dataset.feature),
  ).toEqual(["Age"]);
  // Columns that are no features follow.
  const others = part("row-card-values").querySelectorAll(".ice-row-card-line");
  expect(others[others.length - 1]!.textContent).toMatch(/^Ward/);
  expect(part("own-value").dataset.row).toBe(String(row));
  expect(part("own-value").textContent).toBe(String(kernel.observed("Age")[row!]));
});

test("a click on a feature of the card opens it at the value that moves the row most", async () => {
  const mounted = await pinned();
  await expect.poll(() => mounted.part("row-card-lead").textContent).toBe("Largest change by one feature");
  const item = mounted
    .parts("row-card-item")
    .find(({ dataset }) => dataset.feature !== "Age" && dataset.place !== undefined)!;
  const { feature, place } = item.dataset;
  const change = item.lastElementChild!.textContent!;
  await userEvent.click(item);
  await mounted.drawn(feature!);
  await expect.poll(() => mounted.part("what-if").textContent).toMatch(new RegExp(`^${feature} .* → prediction `));
  const told = Number(mounted.part("what-if").textContent!.split(", ")[1]!.replace("−", "-"));
  expect(told).toBeCloseTo(Number(change.replace("−", "-")), 2);
  expect(Number.isFinite(Number(place))).toBe(true);
});

test("values of a row that are unlike the data are marked, unless curves fade by distance alone", async () => {
  const [grid, shares, flags] = [Float64Array.of(0, 1), Float32Array.of(1, 1), new Uint8Array(1000).fill(1)];
  const model = kernel.model({ feature: "Age", selection: [33] });
  const mounted = mount(model.replying("unlike", { feature: "", share: 1, summary: "", grid, shares, flags }));
  await mounted.drawn("Age");
  const marked = () => mounted.parts("row-card-item").filter((item) => item.innerText.includes("unlike the data"));
  await expect.poll(() => marked().length).toBe(5);
  const asked = model.sent.filter((request) => request.type === "unlike" && request.positions.length === 1);
  expect(asked.length).toBe(5);
  model.push("_view", { fade: "distance" });
  await expect.poll(() => marked().length).toBe(0);
});

test("features are sorted anew while the slider moves, without asking again", async () => {
  const mounted = await pinned();
  await expect.poll(() => mounted.part("row-card-lead").textContent).toBe("Largest change by one feature");
  const asked = mounted.model.sent.filter(({ type }) => type === "what_if").length;
  const before = mounted.part("row-card-values").textContent;
  slideTo(mounted.part("decay-slider"), 0.05);
  await expect.poll(() => mounted.part("row-card-values").textContent).not.toBe(before);
  letGo(mounted.part("decay-slider"));
  expect(mounted.model.sent.filter(({ type }) => type === "what_if").length).toBe(asked);
});

test("a row that Python selects alone has a card as well, until it is no longer selected", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", selection: [0] }));
  await expect.poll(() => mounted.part("row-card-title").textContent).toBe("Row 0");
  mounted.model.push("selection", [7]);
  await expect.poll(() => mounted.part("row-card-title").textContent).toBe("Row 7");
  mounted.model.push("selection", []);
  await expect.poll(() => mounted.part("row-card").hidden).toBe(true);
});

test("the rows with the highest and the lowest prediction are chosen with buttons", async () => {
  const { part, model } = await mountDrawn();
  const predicted = kernel.predictions;
  for (const [end, extreme] of Object.entries({ highest: Math.max(...predicted), lowest: Math.min(...predicted) })) {
    await userEvent.click(part(`row-${end}`));
    await expect.poll(() => model.get("selection")).toEqual([predicted.indexOf(extreme)]);
    await expect.poll(() => part("row-card").hidden).toBe(false);
  }
});

test("a row is chosen by its number, also where the page prevents the line break, as JupyterLab does; one that is not there is told of", async () => {
  const mounted = await mountDrawn();
  await userEvent.fill(mounted.part("row-number"), "0");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => mounted.model.get("selection")).toEqual([0]);
  await userEvent.fill(mounted.part("row-number"), "300");
  await userEvent.keyboard("{Enter}");
  await expect
    .poll(() => mounted.part("row").querySelector("[role=alert]")?.textContent)
    .toBe("Enter a row number from 0 to 299.");
  expect(mounted.model.get("selection")).toEqual([0]);
  const prevent = (event: InputEvent): void => {
    if (event.inputType === "insertLineBreak") event.preventDefault();
  };
  document.addEventListener("beforeinput", prevent);
  await userEvent.fill(mounted.part("row-number"), "7");
  await userEvent.keyboard("{Enter}");
  document.removeEventListener("beforeinput", prevent);
  await expect.poll(() => mounted.model.get("selection")).toEqual([7]);
});

test("the crosshair follows the curve of the row, whatever is under the pointer", async () => {
  const mounted = await pinned();
  const plot = mounted.part("plot").getBoundingClientRect();
  const words = new Set<string>();
  for (const [x, y] of [
    [0.3, 0.2],
    [0.3, 0.8],
    [0.8, 0.5],
  ] as const) {
    move(mounted, { x: x * plot.width, y: y * plot.height });
    await expect.poll(() => mounted.parts("crosshair").length).toBe(1);
    await frame();
    words.add(mounted.part("what-if").textContent!);
    expect(mounted.part("tooltip").hidden).toBe(true);
  }
  expect(words.size).toBe(2);
  for (const each of words) expect(each).toMatch(/^Age [\d.]+ → prediction 0\.\d+, ([+−]\d|no change)/);
  mounted.part("plot").dispatchEvent(new PointerEvent("pointerleave"));
  await expect.poll(() => mounted.part("what-if").hidden).toBe(true);
});

test("with the keyboard the crosshair moves along the curve, and tells what is predicted of the row with that value", async () => {
  const mounted = await pinned();
  mounted.part("plot").focus();
  await userEvent.keyboard("{End}");
  const values = kernel.observed("Age");
  await expect.poll(() => mounted.part("what-if").textContent).toMatch(new RegExp(`^Age ${Math.max(...values)} →`));
  expect(mounted.part("what-if").getAttribute("aria-live")).toBe("polite");
  await userEvent.keyboard("{Home}");
  await expect.poll(() => mounted.part("what-if").textContent).toMatch(new RegExp(`^Age ${Math.min(...values)} →`));
  const first = mounted.part("what-if").textContent;
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => mounted.part("what-if").textContent).not.toBe(first);
  const [row] = mounted.model.get("selection");
  await userEvent.keyboard("{Home}");
  const told = /→ prediction ([\d.]+), ([+−])([\d.]+)/;
  await expect.poll(() => mounted.part("what-if").textContent).toMatch(told);
  const [, prediction, sign, size] = told.exec(mounted.part("what-if").textContent!)!;
  const { n_grid, values: curves, offset } = kernel.curves("Age");
  const wanted = curves[row! * n_grid]! + offset;
  expect(Number(prediction)).toBeCloseTo(wanted, 3);
  expect(Number(size) * (sign === "+" ? 1 : -1)).toBeCloseTo(wanted - kernel.predictions[row!]!, 3);
});

test.each([1000, 760, 400])("at %i px the card is never over the curves", async (width) => {
  const mounted = await pinned(width);
  await frame();
  const card = mounted.part("row-card").getBoundingClientRect();
  const plot = mounted.part("plot").getBoundingClientRect();
  const root = mounted.root.getBoundingClientRect();
  expect(card.left).toBeGreaterThanOrEqual(root.left);
  expect(card.right).toBeLessThanOrEqual(root.right);
  const apart =
    card.left >= plot.right || card.right <= plot.left || card.top >= plot.bottom || card.bottom <= plot.top;
  expect(apart).toBe(true);
});

test("several pinned rows are gone through", async () => {
  const { part } = await pinned(1000, "{ArrowUp}{Enter}{ArrowUp}{Shift>}{Enter}{/Shift}");
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

test("a feature that changes the prediction beyond reach only has no change, which is not a change of 0", async () => {
  const { part, parts } = await pinned();
  await expect.poll(() => part("row-card-lead").textContent).toBe("Largest change by one feature");
  slideTo(part("decay-slider"), 0.01);
  letGo(part("decay-slider"));
  await userEvent.click(part("row-card-more"));
  await expect.poll(() => parts("row-card-item").some(({ textContent }) => textContent!.endsWith("–"))).toBe(true);
});
