import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { acquireKey, type KeyedRequest } from "./acquire-key.ts";
import { deleteOldIdempotencyKeys } from "./delete-old-keys.ts";

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
