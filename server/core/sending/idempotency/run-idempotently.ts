import { sql } from "drizzle-orm";

import { webProcessId } from "#server/core/platform/limits/web-process.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { type KeyLock, acquireKey, type KeyedRequest } from "./acquire-key.ts";

const logger = createLogger("idempotency");

/**
 * Runs `work` once per idempotency key; repeated requests get the stored response. `work` must store it with
 * `storeAnswers`. If `work` throws, the key is released.
 *
 * @throws Refusal `invalid_idempotent_request`, `concurrent_idempotent_requests`
 */
export async function runIdempotently<Answer>(
  db: Db,
  request: KeyedRequest,
  work: (keyLock: KeyLock) => Promise<Answer>,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const found = await acquireKey(db, request);
  // Stored by this endpoint, so the type is right.
  if ("answer" in found) return { answer: found.answer as Answer, isReplayed: true };
  try {
    return { answer: await work(found.keyLock), isReplayed: false };
  } catch (error) {
    await releaseKey(db, found.keyLock);
    throw error;
  }
}

export const KEY_CHARS_MAX = 256;

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && key.length >= 1 && key.length <= KEY_CHARS_MAX;

/**
 * Releases a key after its request failed, so that the next request starts over. If that fails too, the key
 * stays locked until it expires; the caller gets the first error.
 */
async function releaseKey(db: Db, { companyId, endpoint, key }: KeyLock): Promise<void> {
  try {
    await db.execute(sql`
      delete from idempotency_keys
      where company_id = ${companyId} and endpoint = ${endpoint} and key = ${key}
        and process_id = ${webProcessId()} and answer is null`);
  } catch (error) {
    logger.warn({ err: error }, "could not release an idempotency key");
  }
}
