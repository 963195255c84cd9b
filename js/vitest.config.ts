import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

/** The system's Chromium where there is one; otherwise Playwright looks for its own. */
function systemChromium(): string | undefined {
  const chosen = process.env.ICE_EXPLORER_CHROMIUM;
  const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return chosen ?? known.find((path) => existsSync(path));
}

const executablePath = systemChromium();
const tests = ["test/**/*.test.ts", "lab/test/**/*.test.ts"];
const inBrowser = ["test/browser/**/*.test.ts", "lab/test/browser/**/*.test.ts"];

// One processor of two would be left for Vitest itself, which has little to do while tests wait for frames.
const maxWorkers = Math.max(2, availableParallelism() - 1);
/** For tests that hang: the slowest takes three seconds alone, several times as long on a busy machine. */
const testTimeout = 60_000;
/** What is waited for comes, or the test fails: Vitest's own second is too short on a busy machine. */
const expectOptions = { poll: { timeout: 20_000 } };

export default defineConfig({
  test: {
    tags: [{ name: "slow", description: "One of many cases of a behaviour, which only `make test-all` runs." }],
    projects: [
      {
        test: {
          name: "node",
          environment: "node",
          maxWorkers,
          testTimeout,
          expect: expectOptions,
          include: tests,
          exclude: ["**/test/browser/**"],
        },
      },
      {
        test: {
          name: "browser",
          maxWorkers,
          testTimeout,
          expect: expectOptions,
          include: inBrowser,
          setupFiles: ["test/browser/setup.ts"],
          browser: {
            enabled: true,
            headless: true,
            // A page of its own for each file would load every module again; tests end what they mount.
            isolate: false,
            screenshotFailures: false,
            // A click looks its element up again: by what is unique at any time, not by a name that another may come to hold.
            locators: { testIdAttribute: "data-test" },
            provider: playwright({
              launchOptions: {
                ...(executablePath === undefined ? {} : { executablePath }),
                args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
              },
            }),
            instances: [{ browser: "chromium", viewport: { width: 1000, height: 900 } }],
          },
        },
      },
    ],
  },
});
