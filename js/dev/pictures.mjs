/**
 * Takes a picture of every case of the catalogue, in JupyterLab's light and dark colours and in two widths, into
 * ../build/catalogue/. Fails where a case complains in the console.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { serve } from "./serve.mjs";

const out = fileURLToPath(new URL("../../build/catalogue/", import.meta.url));
/** Milliseconds without a change of the document after which a case is drawn. */
const QUIET = 500;
const complaints = [];
let count = 0;

/** Resolves once the document has not changed for a while. */
const settled = (quiet) =>
  new Promise((resolve) => {
    let timer = setTimeout(resolve, quiet);
    new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, quiet);
    }).observe(document.body, { attributes: true, characterData: true, childList: true, subtree: true });
  });

async function takeAll(browser, url, host, width) {
  const page = await browser.newPage({ viewport: { width: width + 48, height: 900 }, reducedMotion: "reduce" });
  let name = "";
  page.on("console", (message) => {
    const isMissingIcon = message.location().url.endsWith("/favicon.ico");
    if (["error", "warning"].includes(message.type()) && !isMissingIcon) complaints.push(`${name}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${name}: ${error}`));
  await page.goto(`${url}?${new URLSearchParams({ host, width: String(width) })}#none`);
  await page.locator("nav a").first().waitFor({ state: "attached" }); // the recordings are read after the page has loaded
  for (name of await page.locator("nav a").allTextContents()) {
    await page.evaluate((next) => (location.hash = encodeURIComponent(next)), name);
    await page.evaluate(settled, QUIET);
    await page.locator("main").screenshot({ path: join(out, `${name.replace(/\W+/g, "-")}-${width}-${host}.png`) });
    count++;
  }
  await page.close();
}

const { url, pages } = await serve(0);
const executablePath = process.env.ICE_EXPLORER_CHROMIUM || "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  await mkdir(out, { recursive: true });
  for (const host of ["lab-light", "lab-dark"])
    await Promise.all([400, 1000].map((width) => takeAll(browser, url, host, width)));
} finally {
  await browser.close();
  await pages.dispose();
}
console.log([`${count} pictures in ${out}`, ...complaints].join("\n"));
process.exitCode = complaints.length > 0 ? 1 : 0;
