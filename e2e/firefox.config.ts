import { defineConfig } from "@playwright/test";

import tests from "./playwright.config.ts";

export default defineConfig({
  ...tests,
  projects: [{ name: "firefox" }],
  workers: 1,
  timeout: 60_000,
  use: {
    ...tests.use,
    browserName: "firefox",
    channel: "moz-firefox",
    permissions: [],
    contextOptions: {},
    launchOptions: { executablePath: "/usr/bin/firefox-esr" },
  },
});
