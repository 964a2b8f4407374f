import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";

import { idempotencyKeys } from "#drizzle/schema/index.ts";
import { processId } from "#server/core/platform/processes/processes.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { deleteInBatches } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

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

/** Prefix that keeps test keys' idempotency keys separate from live ones. */
export const TEST_KEY_PREFIX = "test ";

/** The endpoint that an idempotency key is stored under. */
export const keyedEndpoint = ({ isTest }: Pick<Context, "isTest">, endpoint: string): string =>
  isTest ? TEST_KEY_PREFIX + endpoint : endpoint;

export const KEY_CHARS_MAX = 256;

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && key.length >= 1 && key.length <= KEY_CHARS_MAX;

const logger = createLogger("idempotency");

/** How long a response can be replayed. */
export const RETENTION_HOURS = 24;

/** No request runs this long: a key still locked then was abandoned. */
const RUNNING_MINUTES_MAX = 15;

const RELEASE_AGAIN_MS = 250;

/** Well before a key that is still locked counts as abandoned. */
const RELEASE_MS_MAX = ((RUNNING_MINUTES_MAX * 60) / 2) * 1_000;

type Key = { companyId: string; endpoint: string; key: string };

/** An idempotency key that the caller has locked until it is answered or released. */
export type KeyLock = Key & { lockId: string };

/** A request with an idempotency key. */
export type KeyedRequest = Key & {
  /** Hex SHA-256 of the request body. */
  bodyHash: string;
};

/**
 * Locks an idempotency key. Of concurrent requests one gets it. A key is free if it is new, older than 24
 * hours, or locked by a process that has died.
 *
 * @returns the lock, or the stored answer if there is one
 * @throws Refusal `invalid_idempotent_request` if the key was used with another body,
 *   `concurrent_idempotent_requests` while its first request runs
 */
export async function acquireKey(
  db: Db,
  request: KeyedRequest,
): Promise<{ keyLock: KeyLock } | { answer: unknown }> {
  const { companyId, endpoint, key } = request;
  for (;;) {
    const keyLock = { companyId, endpoint, key, lockId: randomUUID() };
    if (await insert(db, keyLock, request.bodyHash)) return { keyLock };
    const [held] = await db.execute<{ bodyHash: string; answer: unknown }>(sql`
      select body_hash as "bodyHash", answer from idempotency_keys
      where company_id = ${companyId} and endpoint = ${endpoint} and key = ${key}`);
    // Released between the two statements.
    if (!held) continue;
    if (held.bodyHash !== request.bodyHash)
      throw new Refusal(
        "invalid_idempotent_request",
        "This Idempotency-Key was used with a different body in the last 24 hours",
      );
    if (held.answer === null)
      throw new Refusal(
        "concurrent_idempotent_requests",
        "A request with this Idempotency-Key is still running. Try again in a moment",
      );
    return { answer: held.answer };
  }
}

async function insert(db: Db, keyLock: KeyLock, bodyHash: string) {
  const { companyId, endpoint, key, lockId } = keyLock;
  const statement = db.execute(sql`
    insert into idempotency_keys as held (company_id, endpoint, key, body_hash, process_id, lock_id)
    values (${companyId}, ${endpoint}, ${key}, ${bodyHash}, ${processId()}, ${lockId})
    on conflict (company_id, endpoint, key) do update set body_hash = excluded.body_hash,
      process_id = excluded.process_id, lock_id = excluded.lock_id, answer = null,
      created_at = clock_timestamp()
    where held.created_at < clock_timestamp() - make_interval(hours => ${RETENTION_HOURS})
      or (held.answer is null and (
        held.created_at < clock_timestamp() - make_interval(mins => ${RUNNING_MINUTES_MAX})
        or not exists (select from processes p
          where p.id = held.process_id and p.alive_until > clock_timestamp())))
    returning 1`);
  const rows = await statement.catch(async (error: unknown) => {
    // The statement may have been committed without a reply.
    await releaseKey(db, keyLock);
    throw error;
  });
  return rows.length > 0;
}

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

/** Safe to repeat: the lock's ID is never used again. */
async function deleteLock(db: Db, { companyId, endpoint, key, lockId }: KeyLock): Promise<void> {
  await db.execute(sql`
    delete from idempotency_keys
    where company_id = ${companyId} and endpoint = ${endpoint} and key = ${key}
      and lock_id = ${lockId} and answer is null`);
}

/**
 * Stores responses for locked keys, in the transaction that does the work.
 *
 * @throws Refusal `concurrent_idempotent_requests` if another request has taken over a key; roll the
 *   transaction back then
 */
export async function storeAnswers(
  db: Db,
  answers: { keyLock: KeyLock; answer: unknown }[],
): Promise<void> {
  if (answers.length === 0) return;
  const given = JSON.stringify(answers.map(({ keyLock, answer }) => ({ ...keyLock, answer })));
  const rows = await db.execute(sql`
    update idempotency_keys k set answer = e.answer
    from jsonb_to_recordset(${given}::jsonb) e(
      "companyId" uuid, endpoint text, key text, "lockId" uuid, answer jsonb)
    where k.company_id = e."companyId" and k.endpoint = e.endpoint and k.key = e.key
      and k.lock_id = e."lockId" and k.answer is null
    returning 1`);
  if (rows.length < answers.length)
    throw new Refusal(
      "concurrent_idempotent_requests",
      "Another request with this Idempotency-Key has taken over. Try again in a moment",
    );
}

/** Deletes expired idempotency keys. @returns the number of keys deleted */
export function deleteOldIdempotencyKeys(db: Db): Promise<number> {
  const { createdAt } = idempotencyKeys;
  return deleteInBatches(db, idempotencyKeys, {
    where: sql`${createdAt} < statement_timestamp() - make_interval(hours => ${RETENTION_HOURS})`,
    oldestFirst: createdAt,
  });
}
