/**
 * Takes a picture of every case of the catalogue, in JupyterLab's light and dark colours and in two widths, into
 * ../build/catalogue/. Fails where a case complains in the console. `node dev/pictures.mjs lab-dark 400` takes one of
 * the four sets.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { serve } from "./serve.mjs";

const out = fileURLToPath(new URL("../../build/catalogue/", import.meta.url));
const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.ICE_EXPLORER_CHROMIUM || known.find((path) => existsSync(path));
const [, , host, width] = process.argv;
const hosts = host === undefined ? ["lab-light", "lab-dark"] : [host];
const widths = width === undefined ? [400, 1000] : [Number(width)];
/** Milliseconds without a change of the document after which a case is drawn. */
const QUIET = 500;

const { url, pages } = await serve(0);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const complaints = [];
let count = 0;

/** Resolves once the catalogue shows another case. */
const go = (name) =>
  new Promise((resolve) => {
    window.addEventListener("hashchange", resolve, { once: true });
    location.hash = encodeURIComponent(name);
  });

/** Resolves once the document has not changed for a while. */
const settled = (quiet) =>
  new Promise((resolve) => {
    let timer = setTimeout(resolve, quiet);
    new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, quiet);
    }).observe(document.body, { attributes: true, characterData: true, childList: true, subtree: true });
  });

async function takeAll(host, width) {
  const page = await browser.newPage({ viewport: { width: width + 48, height: 900 }, reducedMotion: "reduce" });
  let name = "";
  page.on("console", (message) => {
    const missing = message.location().url.endsWith("/favicon.ico");
    if (["error", "warning"].includes(message.type()) && !missing) complaints.push(`${name}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${name}: ${error}`));
  // One case at a time: all of them at once keep a browser busy for minutes.
  const query = new URLSearchParams({ host, width: String(width) });
  await page.goto(`${url}?${query}#none`);
  await page.locator("nav a").first().waitFor({ state: "attached" }); // the recordings are read after the page has loaded
  for (name of await page.locator("nav a").allTextContents()) {
    await page.evaluate(go, name);
    await page.evaluate(settled, QUIET);
    await page.locator(".case").screenshot({ path: join(out, `${name.replace(/\W+/g, "-")}-${width}-${host}.png`) });
    count++;
  }
  await page.close();
}

try {
  await mkdir(out, { recursive: true });
  for (const host of hosts) await Promise.all(widths.map((width) => takeAll(host, width)));
} finally {
  await browser.close();
  await pages.dispose();
}
console.log(`${count} pictures in ${out}`);
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exitCode = 1;
}
