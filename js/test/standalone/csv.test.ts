/** CSV of pages without a kernel: texts are written as the kernel writes those for spreadsheets. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { csv, withoutFormula } from "../../src/standalone/csv.ts";

const contract = JSON.parse(
  readFileSync(new URL("../../../tests/contract/spreadsheet.json", import.meta.url), "utf-8"),
) as { cells: [string, string][]; json: [string | string[], string][] };

test.each(contract.cells)("%j is written as %j", (text, written) => {
  expect(withoutFormula(text)).toBe(written);
});

test("cells, but no numbers, and the head have no formulas; the head says so", async () => {
  for (const [value, written] of contract.json) {
    const text = await csv({ feature: value }, ["feature", "impact"], [["=1+1", -1.5]]).text();
    const [feature, spreadsheet, columns, row] = text.split("\n");
    // The kernel leaves a space behind a comma.
    expect(feature!.replaceAll('","', '", "')).toBe(`# ice-explorer feature: ${written}`);
    expect(JSON.parse(feature!.replace("# ice-explorer feature: ", ""))).toEqual(value);
    expect(spreadsheet).toBe(
      '# ice-explorer spreadsheet: "Texts that begin with = + - @ or with a tab or a line break have an apostrophe in ' +
        'front here: spreadsheets would run them as formulas. Numbers are unchanged."',
    );
    expect([columns, row]).toEqual(['"feature","impact"', '"\'=1+1",-1.5']);
  }
});
