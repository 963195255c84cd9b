import { chromium } from "playwright";
import { serve } from "./serve.mjs";

const { url, pages } = await serve(0);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const shot = async (host, width, name, file, act) => {
  const page = await browser.newPage({ viewport: { width: width + 48, height: 900 }, reducedMotion: "reduce" });
  await page.goto(`${url}?${new URLSearchParams({ host, width: String(width) })}#${encodeURIComponent(name)}`);
  await page.waitForTimeout(3000);
  await act(page);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/pics/${file}.png` });
  await page.close();
};
await shot("lab-light", 400, "ready", "menu400", (p) => p.locator("[data-test=view]").click());
await shot("lab-light", 934, "many selected", "table", async (p) => {
  await p.locator("[data-test=selected-summary]").click();
  await p.locator("[data-test=selected-rows]").scrollIntoViewIfNeeded();
});
await browser.close();
await pages.dispose();
