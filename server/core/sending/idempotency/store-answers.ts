import { sql } from "drizzle-orm";

import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import type { KeyLock } from "./acquire-key.ts";

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
