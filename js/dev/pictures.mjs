/**
 * Takes a picture of every case of the catalogue, in JupyterLab's light and dark colours and in two widths, into
 * ../build/catalogue/. Fails where a case complains in the console.
 */
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { context } from "esbuild";
import { chromium } from "playwright";

const out = fileURLToPath(new URL("../../build/catalogue/", import.meta.url));
const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.ICE_EXPLORER_CHROMIUM || known.find((path) => existsSync(path));
const hosts = ["lab-light", "lab-dark"];
const widths = [400, 1000];

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
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const complaints = [];
let count = 0;
try {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const host of hosts) {
    for (const width of widths) {
      const page = await browser.newPage({ viewport: { width: width + 48, height: 900 }, reducedMotion: "reduce" });
      page.on("console", (message) => {
        const missing = message.location().url.endsWith("/favicon.ico");
        if (["error", "warning"].includes(message.type()) && !missing) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(`http://127.0.0.1:${port}/?host=${host}&width=${width}`);
      await page.locator(".case").last().waitFor();
      await page.waitForTimeout(1500);
      for (const section of await page.locator(".case").all()) {
        const name = (await section.locator("h2").innerText()).replace(/\W+/g, "-");
        await section.screenshot({ path: join(out, `${name}-${width}-${host}.png`) });
        count++;
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
  await pages.dispose();
}
console.log(`${count} pictures in ${out}`);
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exitCode = 1;
}
