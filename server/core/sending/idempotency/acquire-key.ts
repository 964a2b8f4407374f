import { sql } from "drizzle-orm";

import { webProcessId } from "#server/core/platform/limits/web-process.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/** How long a response can be replayed. */
export const RETENTION_HOURS = 24;

/** No request runs this long: a key still locked then was abandoned. */
export const RUNNING_MINUTES_MAX = 15;

/** An idempotency key that the caller has locked until it is answered or released. */
export type KeyLock = { companyId: string; endpoint: string; key: string };

/** A request with an idempotency key. */
export type KeyedRequest = KeyLock & {
  /** Hex SHA-256 of the request body. */
  bodyHash: string;
};

/**
 * Locks an idempotency key. Of concurrent requests one gets it. A key is free if it is new, older than 24
 * hours, or locked by a dead web process.
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
    if (await insert(db, request)) return { keyLock: { companyId, endpoint, key } };
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

async function insert(db: Db, { companyId, endpoint, key, bodyHash }: KeyedRequest) {
  const rows = await db.execute(sql`
    insert into idempotency_keys as held (company_id, endpoint, key, body_hash, process_id)
    values (${companyId}, ${endpoint}, ${key}, ${bodyHash}, ${webProcessId()})
    on conflict (company_id, endpoint, key) do update set body_hash = excluded.body_hash,
      process_id = excluded.process_id, answer = null, created_at = clock_timestamp()
    where held.created_at < clock_timestamp() - make_interval(hours => ${RETENTION_HOURS})
      or (held.answer is null and (
        held.created_at < clock_timestamp() - make_interval(mins => ${RUNNING_MINUTES_MAX})
        or not exists (select from web_processes w
          where w.id = held.process_id and w.alive_until > clock_timestamp())))
    returning 1`);
  return rows.length > 0;
}
