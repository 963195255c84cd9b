import { expect, it } from "vitest";
import { readSettings } from "../../src/state/settings.ts";

it("reads what JupyterLab is set to", () => {
  const all = { format: "pdf", width: 89, dpi: 600, theme: "dark", max_lines: 200 };
  expect(readSettings(JSON.stringify(all))).toEqual(all);
});

it.each([undefined, "", "no JSON", "null", "3", "[]", '"dark"'])("takes %o as no settings", (text) => {
  expect(readSettings(text)).toEqual({});
});

it("leaves out what is malformed or unknown, and keeps the rest", () => {
  const odd = { format: "bmp", width: 20, dpi: "300", theme: null, max_lines: 1.5, other: 1 };
  expect(readSettings(JSON.stringify(odd))).toEqual({});
  expect(readSettings(JSON.stringify({ ...odd, dpi: 300 }))).toEqual({ dpi: 300 });
  expect(readSettings(JSON.stringify({ max_lines: 0, width: 601, dpi: 49 }))).toEqual({});
});
