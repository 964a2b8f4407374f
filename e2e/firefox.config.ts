import { join } from "node:path";

import { defineConfig } from "@playwright/test";

import tests from "./playwright.config.ts";

/** Journeys in Firefox ESR, which Playwright drives over WebDriver BiDi. */
export default defineConfig({
  ...tests,
  testMatch: "firefox-journeys.ts",
  projects: [{ name: "firefox" }],
  workers: 1,
  use: {
    ...tests.use,
    browserName: "firefox",
    channel: "moz-firefox",
    // Firefox offers none of these.
    permissions: [],
    contextOptions: {},
    // Playwright adds a style sheet for it, which the console's policy rejects with an error.
    screenshot: "off",
    launchOptions: { executablePath: join(import.meta.dirname, "start-firefox.mjs") },
  },
});
