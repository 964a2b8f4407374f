import { LRUCache } from "lru-cache";

import { findMailHosts, type MailHosts } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import type { Resolver } from "#server/gateways/dns.ts";

const MAIL_HOSTS_TTL_MS = 60_000;
const CACHED_DOMAINS_MAX = 10_000;
/** A domain that expired or is being moved can be missing from the DNS for a while. */
const ABSENT_AGAIN_AFTER_MS = 60 * 60_000;

type Found = Exclude<MailHosts, { kind: "absent" }>;

/**
 * Finds the mail servers of domains. Caches good answers for a minute and shares concurrent lookups of a
 * domain. A missing domain is a permanent failure only if it's still missing an hour later.
 */
export function createMailHostCache(resolver: Resolver): (domain: string) => Promise<Found> {
  const cache = new PromiseCache<Found>({
    ...{ max: CACHED_DOMAINS_MAX, ttlMs: MAIL_HOSTS_TTL_MS },
    isKept: ({ kind }) => kind !== "failure",
  });
  const absentSince = new LRUCache<string, number>({ max: CACHED_DOMAINS_MAX });

  const resolveHosts = async (domain: string): Promise<Found> => {
    const found = await findMailHosts(resolver, domain);
    if (found.kind === "hosts") absentSince.delete(domain);
    if (found.kind !== "absent") return found;
    const since = absentSince.get(domain) ?? performance.now();
    absentSince.set(domain, since);
    if (performance.now() - since >= ABSENT_AGAIN_AFTER_MS)
      return { kind: "failure", failure: found.failure };
    return { kind: "failure", failure: { ...found.failure, result: "delayed", dsn: "4.1.2" } };
  };

  return (domain) => cache.get(domain, () => resolveHosts(domain));
}
