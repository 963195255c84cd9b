/** Serves the catalogue of panels, rebuilt on every request. No Jupyter, no kernel. */
import { context } from "esbuild";

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
const port = Number(process.env.PORT ?? 8137);
const server = await pages.serve({ servedir: "dev", host: "127.0.0.1", port });
console.log(`http://127.0.0.1:${server.port}/`);
