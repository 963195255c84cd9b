import { mkdir } from "node:fs/promises";
import { context } from "esbuild";
import { chromium } from "playwright";

const [outDir, ...jobs] = process.argv.slice(2); // case|width|host[|js]
await mkdir(outDir, { recursive: true });
const pages = await context({
  entryPoints: ["dev/catalogue.ts"],
  bundle: true,
  format: "esm",
  target: "es2022",
  outdir: "dev/build",
  write: false,
  logLevel: "warning",
});
const { port } = await pages.serve({ servedir: "dev", host: "127.0.0.1", port: 0 });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const job of jobs) {
  const [name, width, host] = job.split("|");
  const page = await browser.newPage({
    viewport: { width: Number(width) + 48, height: 1000 },
    reducedMotion: "reduce",
  });
  page.on("pageerror", (error) => console.log("ERR", String(error)));
  page.on("console", (m) => m.type() === "error" && console.log("CON", m.text()));
  await page.goto(`http://127.0.0.1:${port}/?host=${host}&width=${width}&case=${encodeURIComponent(name)}`);
  await page.locator(".case").last().waitFor();
  await page.waitForTimeout(1500);
  await page
    .locator(".case")
    .first()
    .screenshot({ path: `${outDir}/${name.replace(/\W+/g, "-")}-${width}-${host}.png` });
  await page.close();
}
await browser.close();
await pages.dispose();
