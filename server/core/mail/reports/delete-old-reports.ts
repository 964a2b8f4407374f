import { dmarcReports, tlsReports } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

// Small, because a report can have 100,000 rows.
const BATCH = 20;

/** Deletes DMARC and TLS reports older than `days`. @returns the number of reports deleted */
export async function deleteOldReports(db: Db, days: number): Promise<number> {
  let deleted = 0;
  for (const table of [dmarcReports, tlsReports])
    deleted += await deleteInBatches(db, table, {
      where: isOlderThan(table.createdAt, days),
      oldestFirst: table.createdAt,
      size: BATCH,
    });
  return deleted;
}
