import { sql } from "drizzle-orm";

import type { Domain, DomainRecordKind } from "#drizzle/schema/index.ts";
import { isLive } from "#server/core/domains/domains/is-live.ts";
import type { Context } from "#server/core/shared/context.ts";

export type TroubledDomain = {
  id: string;
  name: string;
  status: Domain["status"];
  /** Records that the last DNS check didn't find. */
  missing: DomainRecordKind[];
};

const DOMAINS_MAX = 1_000;

/**
 * Domains that can't send or lack records for sending. Missing records for receiving count only if they were
 * published before.
 */
export async function troubledDomains({ db, companyId }: Context): Promise<TroubledDomain[]> {
  return db.execute<TroubledDomain>(sql`
    select domains.id, domains.name, domains.status, missing.records as missing
    from domains cross join lateral (
      select coalesce(array_agg(f.record::text order by f.record), '{}') as records
      from domain_findings f
      where f.domain_id = domains.id and not f.is_verified
        and (f.record in ('ownership', 'spf', 'dkim', 'dmarc') or f.missing_since is not null)
    ) missing
    where domains.company_id = ${companyId} and ${isLive}
      and (domains.status <> 'verified' or cardinality(missing.records) > 0)
    order by domains.status = 'verified', domains.created_at desc limit ${DOMAINS_MAX}`);
}
