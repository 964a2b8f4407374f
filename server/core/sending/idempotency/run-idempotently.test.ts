import { randomUUID } from "node:crypto";

import { expect, test, vi } from "vitest";

import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { registerWebProcess } from "#server/core/platform/limits/web-process.ts";
import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";
import { aCompany } from "#server/testing/factories.ts";

import { acquireKey } from "./acquire-key.ts";
import { runIdempotently } from "./run-idempotently.ts";

test("a request that fails because the database is away leaves its key free once the database is back", async () => {
  const { id: companyId } = await aCompany();
  const key = { companyId, endpoint: "POST /emails", key: randomUUID(), bodyHash: "0".repeat(64) };
  const deregister = await registerWebProcess(db());
  const proxy = await aDatabaseProxy();
  const connection = connect(proxy.url);
  const failed = runIdempotently(connection.db, key, async () => {
    await proxy.shut();
    await connection.sql`select`;
  });
  await expect(failed).rejects.toThrow(/CONNECTION_CLOSED|ECONNREFUSED|ECONNRESET/);
  await expect(acquireKey(db(), key)).rejects.toThrow("still running");
  await proxy.reopen();
  await vi.waitFor(async () => expect(await acquireKey(db(), key)).toHaveProperty("keyLock"));
  await connection.close();
  await proxy.shut();
  await deregister();
});
