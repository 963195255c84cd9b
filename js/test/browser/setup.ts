/** A warning in the console fails the test that caused it. */
import { afterEach, beforeEach, expect, type MockInstance, vi } from "vitest";

let spies: MockInstance[] = [];

beforeEach(() => {
  spies = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
});

afterEach(() => {
  const said = spies.flatMap((spy) => spy.mock.calls);
  for (const spy of spies) spy.mockRestore();
  expect(said).toEqual([]);
});
