import { expect, it } from "vitest";
import { readSettings } from "../../src/state/settings.ts";

it("reads what JupyterLab is set to", () => {
  const all = { format: "pdf", width: 89, dpi: 600, theme: "dark", max_lines: 200 };
  expect(readSettings(JSON.stringify(all))).toEqual(all);
});

it.each([undefined, "", "no JSON", "null", "3", "[]"])("takes %o as no settings", (text) => {
  expect(readSettings(text)).toEqual({});
});
