import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

// Per domain and day. Large senders get reports from a few hundred reporters.
const REPORTS_MAX = 1_000;
const ROWS_MAX = 200_000;

/**
 * Whether the domain is under its daily limit of stored reports. Reports aren't authenticated and are kept for over a
 * year, so without a limit anyone could fill the disk.
 */
export async function isUnderDailyLimit(
  db: Db,
  kind: "dmarc" | "tls",
  domainId: string,
): Promise<boolean> {
  const reports = kind === "dmarc" ? sql`dmarc_reports` : sql`tls_reports`;
  const rows = sql`select from dmarc_sources s join today on today.id = s.report_id`;
  const [found] = await db.execute<{ hasRoom: boolean }>(sql`
    with today as materialized (
      select id from ${reports} where domain_id = ${domainId}::uuid
        and created_at > statement_timestamp() - interval '1 day'
      limit ${REPORTS_MAX}
    )
    select (select count(*) from today) < ${REPORTS_MAX}
      and (select count(*) from (${kind === "dmarc" ? rows : sql`select from today`}
        limit ${ROWS_MAX}) as counted) < ${ROWS_MAX} as "hasRoom"`);
  return found!.hasRoom;
}
