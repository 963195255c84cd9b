/** Which files may import which: imports of types count as well. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));
const files = (readdirSync(source, { recursive: true }) as string[]).filter((file) => file.endsWith(".ts")).sort();

/** The files of `src` that each of them imports. */
const imports = new Map(
  files.map((file) => {
    const text = readFileSync(join(source, file), "utf8");
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map(([, specifier]) => specifier!);
    const targets = specifiers.map((specifier) => normalize(join(dirname(file), specifier)));
    return [file, targets.filter((target) => files.includes(target))];
  }),
);

/** The files on the way of imports from `file` back to itself; null where there is none. */
function circleOf(file: string): string[] | null {
  const ways = new Map([[file, [file]]]);
  for (const [at, way] of ways) {
    for (const target of imports.get(at)!) {
      if (target === file) return [...way, file];
      if (!ways.has(target)) ways.set(target, [...way, target]);
    }
  }
  return null;
}

test("no file imports itself by way of others", () => {
  expect(files.length).toBeGreaterThan(50);
  expect([...imports.values()].flat().length).toBeGreaterThan(300);
  expect(files.flatMap((file) => circleOf(file)?.join(" → ") ?? [])).toEqual([]);
});
