/**
 * Builds the JupyterLab extension into `labextension/`, as it lies in `share/jupyter/labextensions/ice-explorer`.
 *
 * The builder is JupyterLab's own. Its command line in Python does nothing but start this script of it, and would
 * need a Python environment where so far only Node is there.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
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
