/** Which files may import which: imports of types count as well. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));
const files = (readdirSync(source, { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file)).sort();

/** The files of `src` that each of them imports. */
const imports = new Map(
  files.map((file) => {
    const text = readFileSync(join(source, file), "utf8");
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map(([, specifier]) => specifier!);
    const targets = specifiers.map((specifier) => normalize(join(dirname(file), specifier)));
    return [file, targets.filter((target) => files.includes(target))];
  }),
);

/** Packages from bottom to top. A package imports itself and those above it in this table. */
const ROWS = [
  "plot/geometry",
  "wire",
  "text",
  "ui",
  "state",
  "view",
  "plot/marks",
  "files",
  "plot",
  "panels/feature",
  "panels/controls",
  "panels/export",
  "panels/interactions",
  "panels/pair",
  "panels/ranking",
  "panels/rows",
  "panels/small_plots",
  "panels/status",
  "standalone",
  "app",
  ".",
];

/** `panels/feature` of a file in it; null outside of `panels`. */
const panelOf = (folder: string): string | null => /^panels\/[^/]+/.exec(folder)?.[0] ?? null;

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

test("each package is a row, and each row a package", () => {
  expect([...new Set(files.map(dirname))].sort()).toEqual([...ROWS].sort());
});

test("a package imports only those above it, and no panel another one", () => {
  const wrong = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => {
        const [from, to] = [dirname(file), dirname(target)];
        const [panel, other] = [panelOf(from), panelOf(to)];
        return ROWS.indexOf(to) > ROWS.indexOf(from) || (panel !== null && other !== null && panel !== other);
      })
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no file imports itself by way of others", () => {
  expect(files.length).toBeGreaterThan(50);
  expect([...imports.values()].flat().length).toBeGreaterThan(300);
  expect(files.flatMap((file) => circleOf(file)?.join(" → ") ?? [])).toEqual([]);
});

test("the focused element is read through the root: in a shadow root, the document has its host alone", () => {
  const wrong = files.filter((file) => readFileSync(join(source, file), "utf8").includes("document.activeElement"));
  expect(wrong).toEqual([]);
});
