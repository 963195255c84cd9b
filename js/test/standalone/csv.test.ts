/** CSV of pages without a kernel: texts are written as the kernel writes them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clinic } from "../../dev/explorers.ts";
import { csv, curvesRows, withoutFormula } from "../../src/standalone/csv.ts";

const contract = JSON.parse(
  readFileSync(new URL("../../../tests/contract/spreadsheet.json", import.meta.url), "utf-8"),
) as [string, string][];

test.each(contract)("%j is written as %j", (text, written) => {
  expect(withoutFormula(text)).toBe(written);
});

test("the header comes first; texts are no formulas, and numbers stay as they are", async () => {
  const text = await csv(
    ["feature", "impact"],
    [
      ["=1+1", -1.5],
      ['a "b"', null],
    ],
  ).text();
  expect(text).toBe('"feature","impact"\n"\'=1+1",-1.5\n"a ""b""",\n');
});

test("slopes are those of each step, at the right end of its interval, though the plot draws fewer", () => {
  const curves = clinic.curves("Age");
  const { n_grid: nGrid, n_lines: nLines, grid, values } = curves;
  const rows = [...curvesRows(curves, "d-ice", "min", 0.5)];
  expect(rows.length).toBe(nLines * (nGrid - 1));
  for (const [at, row] of rows.entries()) {
    const [line, k] = [Math.floor(at / (nGrid - 1)), (at % (nGrid - 1)) + 1];
    const rise = values[line * nGrid + k]! - values[line * nGrid + k - 1]!;
    expect(row[4]).toBe(grid[k]);
    expect(row[5]).toBeCloseTo(rise / (grid[k]! - grid[k - 1]!), 5);
  }
});
