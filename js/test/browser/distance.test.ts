/** What distances are measured in, and where curves fade. */
import { expect, test } from "vitest";
import { weather as kernel } from "../../dev/explorers.ts";
import { choose, mountDrawn } from "./mount.ts";

test("the distance is chosen in the menu, and its curves are requested", async () => {
  const { model, part } = await mountDrawn(kernel.model({ feature: "Temperature" }));
  choose(part("distance"), "conditional");
  expect(model.get("distance")).toBe("conditional");
  await expect.poll(() => part("decay-readout").textContent).toContain("2.4 SD (given the other features)");
  await expect.poll(() => model.sent.filter(({ type }) => type === "curves").length).toBe(2);
});

test("the card says how much of the curve of the selected row is unlike the data", async () => {
  const { part } = await mountDrawn(kernel.model({ feature: "Temperature", selection: [3] }));
  await expect
    .poll(() => part("row-card-unlike").textContent)
    .toContain("of Temperature are further from what the other features predict than 99 % of rows.");
});
