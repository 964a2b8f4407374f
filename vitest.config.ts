import { availableParallelism } from "node:os";

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{server,worker,mail,drizzle,app}/**/*.test.{ts,tsx}"],
    globalSetup: ["server/testing/global-setup.ts"],
    setupFiles: ["server/testing/setup.ts"],
    // Most tests wait for sockets and processes: more run at once than there are cores.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 15_000,
    hookTimeout: 60_000,
  },
});
