import { isIP } from "node:net";

import { sql, type SQL } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Hosts of a domain that clients reach over TLS: mail apps (autoconfig, autodiscover) and sending servers
 * (RFC 8461).
 */
const HOST_LABELS = ["autoconfig", "autodiscover", "mta-sts"] as const;

/** Names of the local machine, such as those of the sandbox domain: no authority issues certificates for them (RFC 6761, 6.3). */
const LOCAL_NAME = /(^|\.)localhost$/i;

/** A host one label below a domain. */
const BELOW_DOMAIN = /^([^.]+)\.(.+)$/;

/** Domains that are owned by a company and whose MX record points here. */
const receivingDomains = sql`
  select domains.name from domains
  join domain_findings on domain_findings.domain_id = domains.id
    and domain_findings.record = 'mx' and domain_findings.is_verified
  where domains.ownership_proven_at is not null`;

/**
 * Adds the names that need a certificate and have none yet, those of other hosts too. Deletes those that no longer do, but only when they are
 * due: the MX record of a domain may be gone for a day.
 */
export async function syncCertificateNames(db: Db, config: NameSettings): Promise<void> {
  const labels = `{${HOST_LABELS.join(",")}}`;
  const own = config.roles.has("web") || config.roles.has("mail") ? ownNames(config) : [];
  const wanted = sql`
    needed (name) as (
      select unnest(${`{${own.join(",")}}`}::text[])
      union select jsonb_array_elements_text(coalesce(facts -> 'names', '[]'))
        from processes where alive_until > statement_timestamp() - interval '1 hour'
      union select label || '.' || receiving.name
        from (${receivingDomains}) as receiving, unnest(${labels}::text[]) as label
        where length(receiving.name) < 240
      union select name from (${trackingHosts}) as tracking
    ), wanted as (
      select name from needed where name !~* ${LOCAL_NAME.source}
    )`;
  await db.execute(sql`
    with ${wanted}
    insert into certificates (name)
      select name from wanted except select name from certificates
    on conflict (name) do nothing`);
  await db.execute(sql`
    with ${wanted}
    delete from certificates where name not in (select name from wanted)
      and next_attempt_at <= statement_timestamp()`);
}

type OwnSettings = Pick<Config, "hostname" | "baseUrl" | "tls">;

type NameSettings = OwnSettings & Pick<Config, "roles">;

/** The names of this host that clients connect to: the hostname, and that of POSTHOUSE_URL if it is another. The operator's own certificate covers both. */
export function ownNames({ hostname, baseUrl, tls }: OwnSettings): string[] {
  if (tls) return [];
  const { protocol, hostname: webName } = new URL(baseUrl);
  return protocol === "https:" && isDomainName(webName) ? [hostname, webName] : [hostname];
}

/** Not an IP address: few authorities issue certificates for those. */
const isDomainName = (name: string) => name.includes(".") && isIP(name) === 0;

/**
 * Makes a certificate due because a client connected to a name that has none. Does nothing for names that aren't
 * ours, or whose order failed recently.
 *
 * @param name as the client sent it
 */
export async function requestCertificate(db: Db, name: string): Promise<void> {
  const asked = name.toLowerCase();
  const [, label, domain] = BELOW_DOMAIN.exec(asked) ?? [];
  if (domain === undefined || asked.length > 253 || LOCAL_NAME.test(asked)) return;
  const known = HOST_LABELS.some((one) => one === label)
    ? sql`${receivingDomains} and domains.name = ${domain}`
    : sql`${trackingHosts} and domains.name = ${domain} and domains.tracking_subdomain = ${label}`;
  await db.execute(sql`
    insert into certificates as known (name)
    select ${asked}::text from (${known}) as found
    on conflict (name) do update set next_attempt_at = clock_timestamp()
    where known.chain is null and known.failures = 0
      and known.next_attempt_at > statement_timestamp() + interval '1 minute'
      and coalesce(known.attempted_at, '-infinity') < statement_timestamp() - interval '1 minute'`);
}

/** The host of a domain's tracking links, which is one label below it: `links.example.com`. */
const host = sql`(domains.tracking_subdomain || '.' || domains.name)`;

/** Hosts of domains that are owned by a company, and whose CNAME record the last checks found. */
const trackingHosts = sql`
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
