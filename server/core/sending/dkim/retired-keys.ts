import { and, eq, lt, sql } from "drizzle-orm";

import { dkimKeys } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** How long a signature is valid (`x=`): longer than any server retries. */
export const SIGNATURE_DAYS = 7;

/** A day more: the record of a retired key must outlast the last signature made with it. */
export const RETIRED_KEY_DAYS = SIGNATURE_DAYS + 1;

/** Deletes retired keys whose signatures have all expired. */
export async function deleteRetiredKeys(db: Db): Promise<void> {
  await db
    .delete(dkimKeys)
    .where(
      and(
        eq(dkimKeys.state, "retired"),
        lt(
          dkimKeys.retiredAt,
          sql`statement_timestamp() - make_interval(days => ${RETIRED_KEY_DAYS})`,
        ),
      ),
    );
}
