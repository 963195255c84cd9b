import { expect, test } from "vitest";
import schema from "../../../jupyter-config/labextension/schema/plugin.json";
import { readSettings } from "../src/settings.ts";

const LINES = { max_lines: 250 };
const ALL = { format: "png", width: 89, dpi: 600, palette: "viridis", theme: "dark", ...LINES };

test("hands on what users may set, as it is", () => {
  expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(ALL).sort());
  expect(readSettings(ALL)).toEqual(ALL);
});

test("allows every choice and every default of the schema", () => {
  for (const [name, rule] of Object.entries(schema.properties)) {
    const choices = "oneOf" in rule ? rule.oneOf.map((choice) => choice.const) : [];
    for (const value of [...choices, ...("default" in rule ? [rule.default] : [])]) {
      expect(readSettings({ [name]: value })).toEqual({ [name]: value });
    }
  }
});

test("leaves out what is empty, unknown or of another kind, and keeps the rest", () => {
  const malformed = [null, undefined, "", "bmp", "89", Number.NaN, Number.POSITIVE_INFINITY, true, [89], { mm: 89 }];
  for (const name of Object.keys(ALL)) {
    for (const value of malformed) expect(readSettings({ ...LINES, [name]: value })).not.toHaveProperty(name);
  }
  expect(readSettings({ ...LINES, colour: "red", format: "bmp" })).toEqual(LINES);
  expect(readSettings({})).toEqual({});
});

test("leaves out numbers beyond the bounds, and parts of lines", () => {
  expect(readSettings({ width: 59.9, dpi: 1201, max_lines: 0 })).toEqual({});
  expect(readSettings({ width: 60, dpi: 1200, max_lines: 1 })).toEqual({ width: 60, dpi: 1200, max_lines: 1 });
  expect(readSettings({ width: 89.5, max_lines: 2.5 })).toEqual({ width: 89.5 });
  expect(readSettings({ format: 89, theme: 1 })).toEqual({});
});
