import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { idempotencyKeys } from "#drizzle/schema/index.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";
import { aCompany } from "#server/testing/factories.ts";

import {
  acquireKey,
  deleteOldIdempotencyKeys,
  type KeyedRequest,
  runIdempotently,
} from "./idempotency.ts";

let key: KeyedRequest;
let proxy: Awaited<ReturnType<typeof aDatabaseProxy>>;
let connection: ReturnType<typeof connect>;
let deregister: () => Promise<void>;

beforeEach(async () => {
  const { id: companyId } = await aCompany();
  key = { companyId, endpoint: "POST /emails", key: randomUUID(), bodyHash: "0".repeat(64) };
  deregister = await registerProcess(db(), "web");
  proxy = await aDatabaseProxy();
  connection = connect(proxy.url);
});

afterEach(async () => {
  await connection.close();
  await proxy.shut();
  await deregister();
});

const isLocked = () => expect(acquireKey(db(), key)).rejects.toThrow("still running");

const untilFree = () =>
  vi.waitFor(async () => expect(await acquireKey(db(), key)).toHaveProperty("keyLock"));

test("a request that fails during a database outage frees its key once the database is back", async () => {
  const failed = runIdempotently(connection.db, key, async () => {
    await proxy.shut();
    await connection.sql`select`;
  });
  await expect(failed).rejects.toThrow(/CONNECTION_CLOSED|ECONNREFUSED|ECONNRESET/);
  await isLocked();
  await proxy.reopen();
  await untilFree();
});

test("a request whose lock was committed without a reply frees its key", async () => {
  // From now on the statement is prepared: without replies, a first one would not get that far.
  await acquireKey(connection.db, { ...key, key: randomUUID() });
  proxy.loseReplies();
  const failed = expect(
    runIdempotently(connection.db, key, () => Promise.resolve()),
  ).rejects.toThrow("Failed query");
  await expect.poll(() => db().$count(idempotencyKeys, eq(idempotencyKeys.key, key.key))).toBe(1);
  await proxy.shut();
  await failed;
  await isLocked();
  await proxy.reopen();
  await untilFree();
});

async function anAnsweredKey(age: string): Promise<KeyedRequest> {
  const { id: companyId } = await aCompany();
  const request = {
    companyId,
    endpoint: "POST /emails",
    key: randomUUID(),
    bodyHash: "0".repeat(64),
  };
  await acquireKey(db(), request);
  await db().execute(sql`update idempotency_keys
    set answer = '{"id": "first"}', created_at = clock_timestamp() - ${age}::interval where key = ${request.key}`);
  return request;
}

test("replays a response for 24 hours", async () => {
  const request = await anAnsweredKey("23 hours 59 minutes");
  await deleteOldIdempotencyKeys(db());
  expect(await acquireKey(db(), request)).toEqual({ answer: { id: "first" } });
});

test("allows reusing a key after 24 hours", async () => {
  const request = await anAnsweredKey("24 hours 1 second");
  expect(await acquireKey(db(), { ...request, bodyHash: "1".repeat(64) })).toHaveProperty(
    "keyLock",
  );
});
