import { sql } from "drizzle-orm";

import { webProcessId } from "#server/core/platform/limits/web-process.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { type KeyLock, acquireKey, type KeyedRequest } from "./acquire-key.ts";

const logger = createLogger("idempotency");

/**
 * Runs `work` once per idempotency key; repeated requests get the stored answer. `work` must store it with
 * `answerKeys`. If `work` throws, the key is released.
 *
 * @throws Refusal `invalid_idempotent_request`, `concurrent_idempotent_requests`
 */
export async function runIdempotently<Answer>(
  db: Db,
  request: KeyedRequest,
  work: (keyLock: KeyLock) => Promise<Answer>,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const found = await acquireKey(db, request);
  // This endpoint stored it, so it has the right type.
  if ("answer" in found) return { answer: found.answer as Answer, isReplayed: true };
  try {
    return { answer: await work(found.keyLock), isReplayed: false };
  } catch (error) {
    await releaseKey(db, found.keyLock);
    throw error;
  }
}

export const KEY_CHARS_MAX = 256;

/** Whether a value is a valid idempotency key. */
export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && key.length >= 1 && key.length <= KEY_CHARS_MAX;

/**
 * Frees a claimed key that got no answer: the request failed, and the next one with it starts anew.
 * When that fails as well, the key stays claimed until its time is over; the caller hears of the first
 * failure.
 */
async function releaseKey(db: Db, { companyId, endpoint, key }: KeyLock): Promise<void> {
  try {
    await db.execute(sql`
      delete from idempotency_keys
      where company_id = ${companyId} and endpoint = ${endpoint} and key = ${key}
        and process_id = ${webProcessId()} and answer is null`);
  } catch (error) {
    logger.warn({ err: error }, "an idempotency key stays claimed for a while");
  }
}
