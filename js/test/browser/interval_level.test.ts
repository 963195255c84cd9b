/** The level of the intervals of the bars, which is set in Python, and the switch for them. */
import { expect, test } from "vitest";
import { frame, kernel, mountFrame } from "./mount.ts";

test("intervals that are switched off and on again keep their level", async () => {
  const { part, model } = await mountFrame(kernel.model({ ci: 0.8 }));
  const box = part<HTMLInputElement>("intervals");
  expect([box.checked, box.ariaLabel]).toEqual([true, "80\u00a0% intervals"]);
  for (const level of [null, 0.8]) {
    box.click();
    expect(model.saved.at(-1)).toEqual(["ci", level]);
    await frame();
    expect(box.ariaLabel).toBe("80\u00a0% intervals");
  }
});
