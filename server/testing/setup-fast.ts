import childProcess from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll } from "vitest";

import { redirectLogs } from "#server/processes/logger.ts";

import { waitPatiently } from "./patience.ts";

// Fast tests run without a database, and can't start one, nor a mail server or a browser.
const STARTERS = [
  ...["exec", "execFile", "fork", "spawn"],
  ...["execSync", "execFileSync", "spawnSync"],
];
for (const name of STARTERS)
  Object.assign(childProcess, {
    [name]: () => {
      throw new Error(
        `A fast test called ${name}() of node:child_process. Import it where the test's imports can be followed: ` +
          "the test then runs with the slow ones (server/cli/bootstrap/tests-by-kind.mjs).",
      );
    },
  });
syncBuiltinESMExports();
process.env.DATABASE_URL = "postgres://fast-tests-have-no-database.invalid/";

const dataFolder = mkdtempSync(join(tmpdir(), "posthouse-data-"));
process.env.POSTHOUSE_DATA = dataFolder;
// Log through the console, because vitest attributes console lines to tests.
// eslint-disable-next-line no-console
redirectLogs({ write: (line) => console.log(line.trimEnd()), flushSync: () => {} });

waitPatiently();

afterAll(() => {
  rmSync(dataFolder, { recursive: true, force: true });
  // A line after the last test would fail the run, because vitest has closed its channel by then.
  redirectLogs({ write: () => {}, flushSync: () => {} });
});
