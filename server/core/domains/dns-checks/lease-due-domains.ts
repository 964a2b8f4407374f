import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** A domain whose records are due for a recheck. */
export type DueDomain = { id: string; companyId: string };

/**
 * Leases domains with verified ownership whose last check is more than an hour ago, longest ago first.
 * Excludes the appliance's own domain, which must send even before its records exist. Adds up to ten minutes
 * per domain, derived from its id, to spread the checks. Leasing updates `checked_at`, so no other worker
 * takes the domain within the next hour, even after a crash.
 */
export async function leaseDueDomains(db: Db, count: number): Promise<DueDomain[]> {
  const rows = await db.execute<{ id: string; company_id: string }>(sql`
    update domains set checked_at = clock_timestamp()
    where id in (
      select id from domains
      where ownership_proven_at is not null
        -- What the index answers, then what only the row does.
        and (checked_at is null or checked_at < statement_timestamp() - interval '1 hour')
        and (checked_at is null or checked_at < statement_timestamp() - interval '1 hour'
          - make_interval(secs => abs(hashtext(id::text)::bigint) % 600))
        and not exists (select from companies
          where companies.id = domains.company_id and companies.purpose = 'platform')
      order by checked_at nulls first
      limit ${count}
      for update skip locked)
    returning id, company_id`);
  return rows.map(({ id, company_id }) => ({ id, companyId: company_id }));
}
