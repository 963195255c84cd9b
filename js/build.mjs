/**
 * Bundles the front end into the Python package: one ESM file and one style sheet for notebooks, with a small
 * script that loads them, and the same for pages that are saved without a kernel; nothing is fetched at view time. Beside them lies a text file with the licences of
 * the libraries inside. `--watch` rebuilds on every change.
 */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { context } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "src", "ice_explorer", "static");

/** The npm packages that ended up in the bundle, found from the files esbuild read. */
function bundledPackages(metafile) {
  const names = Object.keys(metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

async function licenceOf(name) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} ${version} has no licence file, so it cannot be shipped.`);
  const text = await readFile(join(folder, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** Whole files appear at once: a notebook that loads during a rebuild never sees half a bundle. */
async function write(path, contents) {
  await writeFile(`${path}.part`, contents);
  await rename(`${path}.part`, path);
}

const ship = {
  name: "ship",
  setup(build) {
    build.onEnd(async (result) => {
      if (result.errors.length > 0) return;
      await mkdir(out, { recursive: true });
      for (const file of result.outputFiles) await write(file.path, file.contents);
      const licences = await Promise.all(bundledPackages(result.metafile).map(licenceOf));
      await write(join(out, "explorer.licences.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
      const sizes = result.outputFiles.map(
        (file) => `${relative(here, file.path)} ${(file.contents.length / 1000).toFixed(1)} kB`,
      );
      console.log(sizes.join("\n"));
    });
  },
};

const bundle = await context({
  entryPoints: Object.fromEntries(
    Object.entries({ explorer: "index.ts", loader: "loader.ts", frozen: "frozen.ts" }).map(([name, file]) => [
      name,
      join(here, "src", file),
    ]),
  ),
  outdir: out,
  bundle: true,
  format: "esm",
  // Browsers that know `color-mix()`; nested rules are written out for them.
  target: ["es2022", "chrome111", "firefox113", "safari16.2"],
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  splitting: false,
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  write: false,
  logLevel: "warning",
  plugins: [ship],
});

if (process.argv.includes("--watch")) {
  await bundle.watch();
} else {
  try {
    await bundle.rebuild();
  } finally {
    await bundle.dispose();
  }
}
