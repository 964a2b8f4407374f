import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

import { afterAll } from "vitest";

import { beginFile } from "./begin-file.ts";

// Fast tests run without a database, and can't start one, nor a mail server or a browser.
const STARTERS = ["exec", "execFile", "fork", "spawn", "execSync", "execFileSync", "spawnSync"];
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

afterAll(beginFile("postgres://fast-tests-have-no-database.invalid/"));
