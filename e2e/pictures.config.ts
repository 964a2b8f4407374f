import { defineConfig } from "@playwright/test";

import tests from "./playwright.config.ts";

/**
 * Compares pages with pictures of another version, taken on the same machine, because other fonts or another version of
 * Chromium change the pixels of all text.
 */
export default defineConfig({
  ...tests,
  projects: [{ name: "pictures", testMatch: "compare-pictures.ts" }],
  snapshotPathTemplate: "pictures/baselines/{arg}{ext}",
  fullyParallel: false,
  workers: 1,
  use: { ...tests.use, trace: "off" },
  expect: {
    ...tests.expect,
    // Allows for the caret, hover effects and rounded positions.
    toHaveScreenshot: { threshold: 0.1, maxDiffPixelRatio: 0.001, animations: "disabled" },
  },
});
