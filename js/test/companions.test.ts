import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  cssColor,
  divergingPalette,
  levelPalette,
  plainPalette,
  rampPalette,
  rgbOf,
} from "../src/plot/geometry/palette.ts";

const sheet = readFileSync(fileURLToPath(new URL("../src/styles/bqplot.css", import.meta.url)), "utf8");
const dark = sheet.slice(sheet.indexOf('[data-jp-theme-light="false"]'));

function variable(name: string): string {
  const found = new RegExp(`--ice-${name}: (#[0-9a-f]{6});`).exec(dark);
  return `rgb(${rgbOf(found?.[1] ?? "#000001").join(", ")})`;
}

test("figures of bqplot have the colours of the explorer on a dark page", () => {
  const ramp = rampPalette("dark");
  for (let step = 0; step < 18; step++) expect(variable(`ramp-${step}`)).toBe(cssColor(ramp, step / 17));
  const signs = divergingPalette("dark");
  for (let step = 0; step < 18; step++) expect(variable(`diverging-${step}`)).toBe(cssColor(signs, step / 17));
  expect(variable("missing")).toBe(cssColor(ramp, Number.NaN));
  expect(variable("mark")).toBe(cssColor(plainPalette("dark"), 0));
  const hues = levelPalette(9, false, "dark");
  for (const level of [6, 7, 8]) expect(variable(`hue-${level}`)).toBe(cssColor(hues, level));
});

test("the other hues are the same on either page", () => {
  const [day, night] = [levelPalette(6, false, "light"), levelPalette(6, false, "dark")];
  for (let level = 0; level < 6; level++) expect(cssColor(day, level)).toBe(cssColor(night, level));
});
