import { defineConfig } from "@playwright/test";

import tests from "./playwright.config.ts";

/**
 * The visual regression test: compares pages with screenshots of another version, taken on the same machine, because
 * other fonts or another version of Chromium change the pixels of all text.
 */
export default defineConfig({
  ...tests,
  projects: [{ name: "screenshots", testMatch: "visual-regression.ts" }],
  snapshotPathTemplate: "baselines/{arg}{ext}",
  fullyParallel: false,
  workers: 1,
  use: { ...tests.use, trace: "off" },
  expect: {
    ...tests.expect,
    // Allows for the caret, hover effects and rounded positions.
    toHaveScreenshot: { threshold: 0.1, maxDiffPixelRatio: 0.001, animations: "disabled" },
  },
});
