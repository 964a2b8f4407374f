import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** A domain whose records are to be looked for again. */
export type DueDomain = { id: string; companyId: string };

/**
 * Takes domains with proven ownership whose last check is an hour ago, or never was, those longest ago
 * first. The appliance's own domain is left out: what it sends must go out while its records are
 * not there yet. Each has up to ten minutes more, by its id, so that domains that were checked at one time do
 * not stay together. Taking one counts as a look at it: no other worker takes it before the next hour,
 * also when this one dies.
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
