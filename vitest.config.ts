import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{server,worker,mail,drizzle,app}/**/*.test.{ts,tsx}"],
    globalSetup: ["server/testing/global-setup.ts"],
    setupFiles: ["server/testing/setup.ts"],
    testTimeout: 15_000,
    hookTimeout: 60_000,
  },
});
