import { sql } from "drizzle-orm";

import type { Domain, DomainRecordKind } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isLive } from "#server/core/domains/domains/is-live.ts";

import { FIRST_MAX, type Troubled, troubledOf } from "./troubled.ts";

/** A domain that somebody should look at. */
export type TroubledDomain = {
  id: string;
  name: string;
  status: Domain["status"];
  /** Records that the last check did not find. */
  missing: DomainRecordKind[];
};

/**
 * The company's domains that cannot send, or whose records for sending are not all there. Those for
 * receiving count once they were there and are gone.
 */
export async function troubledDomains({
  db,
  companyId,
}: Context): Promise<Troubled<TroubledDomain>> {
  const rows = await db.execute<TroubledDomain & { count: number }>(sql`
    select domains.id, domains.name, domains.status, missing.records as missing, count(*) over ()::int as count
    from domains cross join lateral (
      select coalesce(array_agg(f.record::text order by f.record), '{}') as records
      from domain_findings f
      where f.domain_id = domains.id and not f.is_verified
        and (f.record in ('ownership', 'spf', 'dkim', 'dmarc') or f.missing_since is not null)
    ) missing
    where domains.company_id = ${companyId} and ${isLive}
      and (domains.status <> 'verified' or cardinality(missing.records) > 0)
    order by domains.status = 'verified', domains.created_at desc limit ${FIRST_MAX}`);
  return troubledOf(rows);
}
