import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

import type { Resolver } from "#server/gateways/dns.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";
import type { Failure } from "#mail/smtp/outcome.ts";
import { findMailHosts, type MailHosts } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";

type HostAddresses =
  { kind: "addresses"; addresses: string[] } | { kind: "failure"; failure: Failure };

const NEVER_A_HOST = new Set(["unspecified", "multicast", "broadcast"]);

/**
 * The addresses of a mail server, IPv4 first: large receivers reject IPv6 senders without a matching PTR
 * record, which few hosting providers set.
 *
 * Anyone can point an MX at 127.0.0.1 or at a private network and so reach hosts behind the firewall. Only
 * public addresses are therefore allowed, unless `allowPrivateHosts` is set, as on a developer's machine.
 */
export async function findHostAddresses(
  resolver: Resolver,
  name: string,
  { allowPrivateHosts }: { allowPrivateHosts: boolean },
): Promise<HostAddresses> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const found = answers.flatMap((answer) => (answer.kind === "found" ? answer.records : []));
  const addresses = found.filter((address) => isMailHostAddress(address, allowPrivateHosts));
  if (addresses.length > 0) return { kind: "addresses", addresses };
  if (answers.some(({ kind }) => kind === "failed"))
    return failure("delayed", "4.4.3", `The address of ${name} could not be looked up`);
  return found.length > 0
    ? failure("bounced", "5.4.4", `The mail server ${name} has no public address`)
    : failure("bounced", "5.4.4", `The mail server ${name} has no address`);
}

function isMailHostAddress(address: string, allowPrivateHosts: boolean): boolean {
  return allowPrivateHosts
    ? !NEVER_A_HOST.has(ipaddr.process(address).range())
    : isPublicAddress(address);
}

function failure(result: "delayed" | "bounced", dsn: string, message: string): HostAddresses {
  // A fault of the domain, not of the recipient.
  return { kind: "failure", failure: { result, dsn, message, suppress: false } };
}

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
    max: CACHED_DOMAINS_MAX,
    ttlMs: MAIL_HOSTS_TTL_MS,
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
