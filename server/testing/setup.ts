import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll } from "vitest";

import { endAdmissions } from "#server/core/platform/limits/admit-request.ts";
import { flushRequestLog } from "#server/core/access/request-log/record-request.ts";
import { closePool } from "#server/db/pool.ts";
import { redirectLogs } from "#server/processes/logger.ts";

import { recreateFromTemplate, urlOf } from "./databases.ts";
import { waitPatiently } from "./patience.ts";

const database = `posthouse_test_${process.env.VITEST_POOL_ID ?? "0"}`;
const dataFolder = mkdtempSync(join(tmpdir(), "posthouse-data-"));
// Log through the console, because vitest attributes console lines to tests.
// eslint-disable-next-line no-console
redirectLogs({ write: (line) => console.log(line.trimEnd()), flushSync: () => {} });
process.env.DATABASE_URL = urlOf(database);
process.env.POSTHOUSE_DATA = dataFolder;

waitPatiently();

beforeAll(async () => {
  await recreateFromTemplate(database);
});

afterAll(async () => {
  await flushRequestLog();
  endAdmissions();
  await closePool();
  rmSync(dataFolder, { recursive: true, force: true });
  // A line after the last test would fail the run, because vitest has closed its channel by then.
  redirectLogs({ write: () => {}, flushSync: () => {} });
});
