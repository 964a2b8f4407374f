import { sql } from "drizzle-orm";

import { webProcessId } from "#server/core/limits/web-process.ts";
import type { Db } from "#server/db/client.ts";

import type { Claim } from "./claim-key.ts";

/**
 * Stores the answer of a claimed key, in the transaction that makes the answer true. Fails when
 * somebody else has the key by now, which ends that transaction too.
 */
export async function answerKey(
  db: Db,
  { companyId, endpoint, key }: Claim,
  answer: unknown,
): Promise<void> {
  const rows = await db.execute(sql`
    update idempotency_keys set answer = ${JSON.stringify(answer)}::jsonb
    where company_id = ${companyId} and endpoint = ${endpoint} and key = ${key}
      and process_id = ${webProcessId()} and answer is null
    returning 1`);
  if (rows.length === 0) throw new Error("The claim of the idempotency key was lost");
}
