import { defineConfig } from "@playwright/test";

const report = process.env.PLAYWRIGHT_JSON_OUTPUT_NAME;

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results",
  globalSetup: "./global-setup.ts",
  reporter: report ? [["list"], ["json", { outputFile: report }]] : [["list"]],
  fullyParallel: true,
  workers: 2,
  // Generous: a busy machine is slow, and nothing here waits longer than it must.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  use: {
    viewport: { width: 1440, height: 900 },
    // What is still fading in has no colors yet, and moves away from the pointer.
    contextOptions: { reducedMotion: "reduce" },
    trace: "retain-on-failure",
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: {
      // The machine's own browser: none is ever downloaded.
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
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
