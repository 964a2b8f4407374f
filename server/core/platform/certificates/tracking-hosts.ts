import { type SQL, sql } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

/** The host of a domain's tracking links, which is one label below it: `links.example.com`. */
const host = sql`(domains.tracking_subdomain || '.' || domains.name)`;

/** Hosts of domains that are owned by a company, and whose CNAME record the last checks found. */
export const trackingHosts = sql`
  select ${host} as name from domains
  join domain_findings on domain_findings.domain_id = domains.id
    and domain_findings.record = 'tracking' and domain_findings.is_verified
  where domains.ownership_proven_at is not null and domains.tracking_subdomain is not null`;

/**
 * SQL for the host that the links of an email of this row of `domains` use; null for this server's own. With ACME it
 * needs a valid certificate; without, a proxy has to present one.
 */
export const trackingHostInUse = ({ acme }: Pick<Config, "acme">): SQL<string | null> => sql`
  case when domains.tracking_subdomain is not null and domains.ownership_proven_at is not null
    and exists (select from domain_findings where domain_findings.domain_id = domains.id
      and domain_findings.record = 'tracking' and domain_findings.is_verified
      and domain_findings.missing_since is null)
    ${
      acme
        ? sql`and exists (select from certificates where certificates.name = ${host}
            and certificates.not_after > statement_timestamp())`
        : sql``
    }
  then ${host} end`;

/** The host that links of a domain's emails use; null for this server's own. */
export async function findTrackingHost(
  db: Db,
  domainId: string,
  config: Pick<Config, "acme">,
): Promise<string | null> {
  const [row] = await db.execute<{ host: string | null }>(
    sql`select ${trackingHostInUse(config)} as host from domains where id = ${domainId}::uuid`,
  );
  return row?.host ?? null;
}

/** The base URL of links at a tracking host. */
export function linkBase(baseUrl: string, trackingHost: string | null): string {
  if (trackingHost === null) return baseUrl;
  const url = new URL(baseUrl);
  url.hostname = trackingHost;
  return url.origin;
}

/** All hosts that companies set for their links, also unverified ones. */
export async function listTrackingHosts(db: Db): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select ${host} as name from domains
    where domains.ownership_proven_at is not null and domains.tracking_subdomain is not null`);
  return rows.map(({ name }) => name);
}
