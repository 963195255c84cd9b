import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cssColor, levelPalette, pickPalette, plainPalette, rgbOf } from "../src/plot/geometry/palette.ts";

const sheet = readFileSync(fileURLToPath(new URL("../src/styles/bqplot.css", import.meta.url)), "utf8");
const dark = sheet.slice(sheet.indexOf('[data-jp-theme-light="false"]'));

function variable(name: string): string {
  const found = new RegExp(`--ice-${name}: (#[0-9a-f]{6});`).exec(dark);
  return `rgb(${rgbOf(found?.[1] ?? "#000001").join(", ")})`;
}

test("figures of bqplot have the colours of the explorer on a dark page", () => {
  expect(variable("mark")).toBe(cssColor(plainPalette("dark"), 0));
  expect(variable("pick")).toBe(cssColor(pickPalette("dark"), 0));
});

test("the hues of levels are the same on either page", () => {
  const [day, night] = [levelPalette(6, false, "light"), levelPalette(6, false, "dark")];
  for (let level = 0; level < 6; level++) expect(cssColor(day, level)).toBe(cssColor(night, level));
});
