import { sql } from "drizzle-orm";

import { webProcessId } from "#server/core/platform/limits/web-process.ts";
import type { Db } from "#server/db/client.ts";

import { createLogger } from "#server/processes/logger.ts";

import type { Claim } from "./claim-key.ts";

const logger = createLogger("idempotency");

/**
 * Frees a claimed key that got no answer: the request failed, and the next one with it starts anew.
 * When that fails as well, the key stays claimed until its time is over; the caller hears of the first
 * failure.
 */
export async function releaseKey(db: Db, { companyId, endpoint, key }: Claim): Promise<void> {
  try {
    await db.execute(sql`
      delete from idempotency_keys
      where company_id = ${companyId} and endpoint = ${endpoint} and key = ${key}
        and process_id = ${webProcessId()} and answer is null`);
  } catch (error) {
    logger.warn({ err: error }, "an idempotency key stays claimed for a while");
  }
}
