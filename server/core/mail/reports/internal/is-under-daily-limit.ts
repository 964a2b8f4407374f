import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Of one domain within a day. The largest senders are told of by some hundred reporters. */
const REPORTS_MAX = 1_000;
const ROWS_MAX = 200_000;

/**
 * Whether another report about the domain is kept today. Nobody can tell who wrote one, and they are kept
 * for more than a year: without a limit anybody could fill the disk.
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
