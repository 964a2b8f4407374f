import { availableParallelism } from "node:os";

import { defineConfig } from "vitest/config";

import { testsByKind } from "./server/cli/bootstrap/tests-by-kind.mjs";
import { LongestFirst } from "./server/testing/longest-first.ts";
import { WAIT_TIMEOUT_MS } from "./server/testing/patience.ts";

const kinds = testsByKind();
/** Globs of exactly these files. */
const only = (paths: string[]) => paths.map((path) => path.replace(/[()[\]{}]/g, "\\$&"));
const onPostgres = {
  globalSetup: ["server/testing/global-setup.ts"],
  setupFiles: ["server/testing/setup.ts"],
};

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: only(kinds.fast),
          // The console formats numbers and dates for the region of the process.
          env: { LC_ALL: "en_US.UTF-8" },
          setupFiles: ["server/testing/setup-fast.ts"],
        },
      },
      { extends: true, test: { name: "database", include: only(kinds.database), ...onPostgres } },
      { extends: true, test: { name: "process", include: only(kinds.process), ...onPostgres } },
    ],
    sequence: { sequencer: LongestFirst },
    // One process for many files, as starting one and loading the packages takes longer than most files.
    isolate: false,
    // Most tests wait for sockets and processes: more run at once than there are cores.
    maxWorkers: Math.max(4, availableParallelism()),
    // The database driver throws this uncatchable error when a connection ends between two statements of a
    // transaction (porsager/postgres issue 1208). The appliance's processes exit and are restarted; vitest
    // must continue.
    onUnhandledError: (error) =>
      !(
        error.message === "Cannot read properties of null (reading 'write')" &&
        error.stack?.includes("postgres/src/connection.js")
      ),
    // Logs of passing tests would bury the failures.
    silent: "passed-only",
    slowTestThreshold: 5_000,
    // Only what hangs should fail, however busy the machine is.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: WAIT_TIMEOUT_MS } },
  },
});
