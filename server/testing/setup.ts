import { afterAll, beforeAll } from "vitest";

import { endAdmissions } from "#server/core/platform/limits/admit-request.ts";
import { flushRequestLog } from "#server/core/access/request-log/request-log.ts";
import { closePool } from "#server/db/pool.ts";

import { beginFile } from "./begin-file.ts";
import { recreateFromTemplate, urlOf } from "./databases.ts";

const database = `posthouse_test_${process.env.VITEST_POOL_ID ?? "0"}`;
const endFile = beginFile(urlOf(database));

beforeAll(async () => {
  await recreateFromTemplate(database);
});

afterAll(async () => {
  await flushRequestLog();
  endAdmissions();
  await closePool();
  endFile();
});
