import { defineConfig } from "@playwright/test";

import { chromiumPath } from "#server/cli/bootstrap/system-packages.mjs";

const report = process.env.PLAYWRIGHT_JSON_OUTPUT_NAME;
const LONGEST = "every-page.spec.ts";

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results",
  globalSetup: "./global-setup.ts",
  reporter: report ? [["list"], ["json", { outputFile: report }]] : [["list"]],
  fullyParallel: true,
  workers: 2,
  // The longest test starts first, beside all others, so that it isn't the last to end.
  projects: [
    { name: "longest", testMatch: LONGEST },
    { name: "others", testIgnore: LONGEST },
  ],
  // Generous, because a busy machine is slow; no test waits longer than needed.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  use: {
    locale: "en-US",
    viewport: { width: 1440, height: 900 },
    // Elements that are fading in have no final colors and move away from the pointer.
    contextOptions: { reducedMotion: "reduce" },
    // Tracing takes more than a tenth of the time. To trace a failing test: npx playwright test -c e2e <name> --trace on
    trace: "off",
    screenshot: "only-on-failure",
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: {
      // The installed browser; none is downloaded.
      executablePath: process.env.CHROMIUM ?? chromiumPath(),
      args: [
        "--no-sandbox",
        "--disable-background-networking",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
