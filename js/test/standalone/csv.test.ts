/** CSV of pages without a kernel: texts are written as the kernel writes them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { csv, withoutFormula } from "../../src/standalone/csv.ts";

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
