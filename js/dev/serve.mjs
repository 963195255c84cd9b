/** Serves the catalogue of panels, rebuilt on every request. No Jupyter, no kernel. `pictures.mjs` takes its pages, too. */
import { fileURLToPath } from "node:url";
import { context } from "esbuild";

/** The port 0 is any that is free. */
export async function serve(port) {
  const pages = await context({
    entryPoints: ["dev/catalogue.ts"],
    bundle: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    sourcemap: "inline",
    outdir: "dev/build",
    write: false,
    logLevel: "warning",
  });
  const server = await pages.serve({ servedir: "dev", host: "127.0.0.1", port });
  return { url: `http://127.0.0.1:${server.port}/`, pages };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log((await serve(Number(process.env.PORT ?? 8137))).url);
