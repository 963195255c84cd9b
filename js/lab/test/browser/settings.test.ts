import { expect, test, vi } from "vitest";
import { publish } from "../../src/settings.ts";

test("what is set is in the attribute when the event comes, and what is null is not", () => {
  const heard = vi.fn(() => document.documentElement.getAttribute("data-ice-explorer-settings"));
  document.addEventListener("ice-explorer:settings", heard, { once: true });
  publish(document, { format: "png", width: null, dpi: 300 });
  expect(heard).toHaveReturnedWith('{"format":"png","dpi":300}');
  publish(document, {});
  expect(document.documentElement.dataset.iceExplorerSettings).toBe("{}");
});
