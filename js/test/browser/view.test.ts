/** The menu of settings, and what each of its choices does to the picture. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { observed, stepped } from "../../dev/explorers.ts";
import { frame, ink, kernel, mountDrawn, notebookCell, openMenu, press } from "./mount.ts";

test("the menu opens and closes by keyboard, has at most ten entries, and says why one is not available", async () => {
  const mounted = await mountDrawn(observed.model({ feature: "Age", kind: "d-ice" }));
  const { part, root } = mounted;
  part("view").focus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => part("view").getAttribute("aria-expanded")).toBe("true");
  const entries = () =>
    [...part("view-menu").querySelectorAll<HTMLLabelElement>("label")].filter((label) => label.checkVisibility());
  const ale = part<HTMLInputElement>("view-ale");
  expect(ale.disabled).toBe(true);
  expect(ale.labels![0]!.textContent).toBe(
    "Compare the mean with ALEOnly available for ICE and c-ICE, which have the unit of the prediction.",
  );
  for (const kind of ["ice", "c-ice"]) {
    mounted.model.push("kind", kind as "ice");
    await expect.poll(() => part("view-target").checkVisibility()).toBe(kind === "ice");
    expect(entries().length).toBeLessThanOrEqual(10);
  }
  await userEvent.keyboard("{Tab}");
  expect(document.activeElement).toBe(part("color-by"));
  await press("{Escape}");
  expect(part("view-menu").hidden).toBe(true);
  expect(document.activeElement).toBe(part("view"));
  await openMenu(mounted);
  root.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  await frame();
  expect(part("view-menu").hidden).toBe(true);
});

test("a click on the text of an entry takes effect in a notebook, whose cells take the focus on a press", async () => {
  const { part, root } = await mountDrawn(kernel.model({ feature: "Age" }), 1000, notebookCell());
  await userEvent.click(part("view"));
  expect(part("classes-side-by-side").checkVisibility()).toBe(false); // there is one output
  for (const name of ["view-unlike", "view-ale", "intervals"]) {
    const input = part<HTMLInputElement>(name);
    const before = input.checked;
    await userEvent.click(input.labels![0]!.querySelector("span")!);
    expect([name, input.checked, part("view-menu").hidden]).toEqual([name, !before, false]);
  }
  await userEvent.click(part("rank-by").closest("label")!.querySelector(".ice-entry-text")!);
  expect([part("view-menu").hidden, document.activeElement]).toEqual([false, part("rank-by")]);
  await userEvent.click(root.querySelector(".ice-ranking")!, { position: { x: 2, y: 2 } });
  expect(part("view-menu").hidden).toBe(true);
});

test("the observed target is points behind the lines, named in the key and on the card, with ICE alone", async () => {
  const mounted = await mountDrawn(observed.model({ feature: "Age" }));
  const { part } = mounted;
  expect(part("target").hidden).toBe(true);
  await openMenu(mounted);
  part("view-target").click();
  const known = observed.curves("Age").target!.filter((value) => !Number.isNaN(value)).length;
  await expect.poll(() => part("target").dataset.points).toBe(String(known));
  expect(ink(part("target"))).toBeGreaterThan(100);
  expect(part("curves").textContent).toContain("observed target");
  part("plot").focus();
  await userEvent.keyboard("{ArrowUp}");
  await expect.poll(() => part("tooltip").textContent).toMatch(/observed target[01–]/);
  part("kind-c-ice").click();
  await expect.poll(() => part("target").hidden).toBe(true);
});

test("a step that dominates the slopes leaves the axis and is counted", async () => {
  const { part } = await mountDrawn(stepped.model({ feature: "Blood pressure", kind: "d-ice" }));
  await expect.poll(() => part("range-remark").hidden).toBe(false);
  expect(part("range-remark").textContent).toMatch(
    /^\d+ of 120 curves extend above the axis \(up to [\d.]+\), \d+ below \(down to −[\d.]+\)\./,
  );
  part("kind-ice").click();
  await expect.poll(() => part("range-remark").hidden).toBe(true);
});
