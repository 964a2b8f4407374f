import type { Resolver } from "#server/gateways/dns.ts";

import { findMailHosts, type MailHosts } from "./find-mail-hosts.ts";

const MAIL_HOSTS_TTL_MS = 60_000;
const CACHED_DOMAINS_MAX = 10_000;
/** A domain that expired or is being moved can be missing from the DNS for a while. */
const ABSENT_AGAIN_AFTER_MS = 60 * 60_000;

type Found = Exclude<MailHosts, { kind: "absent" }>;

/**
 * Finds the mail hosts of domains. Caches good answers for a minute and shares concurrent lookups of a
 * domain. A missing domain is a permanent failure only if it's still missing an hour later.
 */
export function createMailHostCache(resolver: Resolver): (domain: string) => Promise<Found> {
  const memory = new BoundedMap<{ answer: Promise<Found>; until: number }>();
  const absentSince = new BoundedMap<number>();

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

  return async (domain) => {
    const kept = memory.get(domain);
    if (kept && kept.until > performance.now()) return kept.answer;
    const answer = resolveHosts(domain);
    memory.set(domain, { answer, until: performance.now() + MAIL_HOSTS_TTL_MS });
    const forget = () => {
      if (memory.get(domain)?.answer === answer) memory.delete(domain);
    };
    answer.then((found) => found.kind === "failure" && forget(), forget);
    return answer;
  };
}

/** Evicts the oldest entry. */
class BoundedMap<Value> extends Map<string, Value> {
  override set(key: string, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > CACHED_DOMAINS_MAX) this.delete(this.keys().next().value!);
    return this;
  }
}
