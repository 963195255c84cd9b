/** What figures in files work out for themselves, done again here: `tests/figures/test_drawn_view.py` wrote it. */
import { readFileSync } from "node:fs";
import { cumsum } from "d3-array";
import { describe, expect, test } from "vitest";
import { leavingText } from "../src/panels/feature/notes.tsx";
import { slopeEnds } from "../src/plot/geometry/transforms.ts";
import type { Scene } from "../src/plot/scene.ts";
import { type ValueRange, valueRange } from "../src/plot/value_range.ts";
import { type Split, splitColors } from "../src/state/two_sides.ts";
import type { ColorScale, ColorsBody } from "../src/wire/protocol.ts";

interface Contract {
  slopes: {
    name: string;
    lengths: number[];
    lines: number[][];
    times: number;
    range: Pick<ValueRange, "low" | "high" | "isCut" | "above" | "below">;
    text: string | null;
  }[];
  bins: { n_grid: number; ends: number[] }[];
  splits: {
    scale: ColorScale;
    values: (number | null)[];
    split: Split | null;
    sides: { levels: string[]; of: number[] } | null;
  }[];
}

const written = JSON.parse(
  readFileSync(new URL("../../tests/contract/view/view.json", import.meta.url), "utf-8"),
) as Contract;

/** Slopes over intervals of given lengths, as steps. */
function slopes(lengths: number[], some: number[][], times: number): Scene {
  const lines = Array.from({ length: times }, () => some).flat();
  const ends = [0, ...cumsum(lengths)];
  const x = Float64Array.from(lengths.flatMap((_, k) => [ends[k]!, ends[k + 1]!]));
  const values = Float32Array.from(lines.flatMap((line) => line.flatMap((slope) => [slope, slope])));
  const all = some.flat();
  const curves = { n_lines: lines.length } as Scene["curves"];
  return { kind: "d-ice", base: 0, x, values, curves, extent: [Math.min(...all), Math.max(...all)] } as Scene;
}

describe("a figure and the screen have in common", () => {
  test.each(written.slopes)("where the axis of slopes is cut: $name", (each) => {
    const scene = slopes(each.lengths, each.lines, each.times);
    const range = valueRange(scene, { target: null, ale: null });
    const { low, high, isCut, above, below } = range;
    expect({ low, high, isCut, above, below }).toEqual(each.range);
    if (isCut) expect(leavingText(range, scene.extent, scene.curves.n_lines)).toBe(each.text);
    else expect(each.text).toBeNull();
  });

  test.each(written.bins)("over which bins slopes are drawn: $n_grid grid values", ({ n_grid, ends }) => {
    expect(slopeEnds(n_grid)).toEqual(ends);
  });

  test.each(written.splits)("on which side a line is: $scale.column, $split", ({ scale, values, split, sides }) => {
    const exact = Float64Array.from(values, (value) => value ?? Number.NaN);
    const colors = { scale, values: exact } as ColorsBody;
    const parted = splitColors(colors, split);
    if (sides === null || parted.scale.kind !== "category") expect(parted).toBe(colors);
    else expect({ levels: parted.scale.levels, of: Array.from(parted.values) }).toEqual(sides);
  });
});
