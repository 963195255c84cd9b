/**
 * Builds the JupyterLab extension into `labextension/`, as it lies in `share/jupyter/labextensions/ice-explorer`.
 *
 * The builder is JupyterLab's own. Its command line in Python does nothing but start this script of it, and would
 * need a Python environment where so far only Node is there.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

const builder = join(dirname(require.resolve("@jupyter/builder/package.json")), "lib", "build-labextension.js");
// Which packages JupyterLab shares with its extensions.
const core = require.resolve("@jupyterlab/core-meta/core.package.json");
const built = spawnSync(process.execPath, [builder, "--core-package-file", core, here], { encoding: "utf8" });
if (built.status !== 0) throw new Error(`The builder of JupyterLab failed:\n${built.stdout}${built.stderr}`);

copyFileSync(
  join(here, "..", "..", "jupyter-config", "labextension", "install.json"),
  join(here, "labextension", "install.json"),
);

// JupyterLab lists the extension with its version, which is that of the Python package.
const source = readFileSync(join(here, "..", "..", "src", "ice_explorer", "version.py"), "utf8");
const version = /__version__ = "(.+)"/.exec(source)[1];
for (const file of ["package.json", join("schemas", "ice-explorer", "package.json.orig")]) {
  const path = join(here, "labextension", file);
  const { name, ...others } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, `${JSON.stringify({ name, version, ...others }, null, 2)}\n`);
}
