/** Before each test the pointer is away from what it will show; a warning in the console fails the test that caused it. */
import { afterEach, beforeEach, expect, type MockInstance, vi } from "vitest";
import { command } from "./hosts.ts";

let spies: MockInstance[] = [];

beforeEach(async () => {
  await command("Input.dispatchMouseEvent", { type: "mouseMoved", x: 0, y: 0 });
  spies = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
});

afterEach(() => {
  const said = spies.flatMap((spy) => spy.mock.calls);
  for (const spy of spies) spy.mockRestore();
  expect(said).toEqual([]);
});
