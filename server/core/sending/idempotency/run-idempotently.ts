import { sql } from "drizzle-orm";

import { webProcessId } from "#server/core/platform/limits/web-process.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { type KeyLock, acquireKey, type KeyedRequest, RUNNING_MINUTES_MAX } from "./acquire-key.ts";

const logger = createLogger("idempotency");

const RELEASE_AGAIN_MS = 250;
/** Well before a key that is still locked counts as abandoned. */
const RELEASE_MS_MAX = ((RUNNING_MINUTES_MAX * 60) / 2) * 1_000;

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
 * Releases a key after its request failed, so that the next request starts over. Without a database, the caller gets
 * the first error at once, and the key is released as soon as the database is back.
 */
async function releaseKey(db: Db, keyLock: KeyLock): Promise<void> {
  try {
    await deleteLock(db, keyLock);
  } catch (error) {
    logger.warn({ err: error }, "could not release an idempotency key; retrying");
    keepReleasing(db, keyLock);
  }
}

function keepReleasing(db: Db, keyLock: KeyLock): void {
  const giveUpAt = performance.now() + RELEASE_MS_MAX;
  const retry = () => {
    if (performance.now() > giveUpAt) return;
    const timer = setTimeout(() => void deleteLock(db, keyLock).catch(retry), RELEASE_AGAIN_MS);
    // The key of a process that ended is free.
    timer.unref();
  };
  retry();
}

/** Safe to repeat while the key counts as locked: no other request can have locked it by then. */
async function deleteLock(db: Db, { companyId, endpoint, key }: KeyLock): Promise<void> {
  await db.execute(sql`
    delete from idempotency_keys
    where company_id = ${companyId} and endpoint = ${endpoint} and key = ${key}
      and process_id = ${webProcessId()} and answer is null`);
}
