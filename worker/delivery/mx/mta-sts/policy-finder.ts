import { domainToASCII } from "node:url";

import type { Logger } from "pino";

import { storePolicy } from "#server/core/sending/mta-sts/store-policy.ts";
import { loadPolicy } from "#server/core/sending/mta-sts/load-policy.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { fetchPolicy } from "./fetch-policy.ts";
import { findPolicyId } from "./find-policy-id.ts";
import type { PolicyTerms } from "./read-policy.ts";

/** What RFC 8461 §3.3 asks to wait before a policy that could not be had is fetched again. */
const KEPT_MS = 5 * 60_000;
const DOMAINS_KEPT_MAX = 10_000;

/** The MTA-STS policy that holds for mail to the domain, or null. It never throws: without an answer, mail goes out as to a domain without policy. */
export type PolicyFinder = (domain: string) => Promise<PolicyTerms | null>;

type Options = { db: Db; resolver: Resolver; http: OutgoingHttp; log: Logger };

/**
 * Looks for policies (RFC 8461), at most once in five minutes for each domain. A policy that was seen
 * holds until its time is over: neither the DNS nor the policy host can take it back by silence.
 */
export function createPolicyFinder(options: Options): PolicyFinder {
  const memory = new Map<string, { policy: Promise<PolicyTerms | null>; until: number }>();
  return (domain) => {
    const name = domainToASCII(domain);
    const kept = memory.get(name);
    if (kept && kept.until > performance.now()) return kept.policy;
    const policy = findPolicy(options, name);
    memory.delete(name);
    memory.set(name, { policy, until: performance.now() + KEPT_MS });
    policy.catch(() => {
      if (memory.get(name)?.policy === policy) memory.delete(name);
    });
    if (memory.size > DOMAINS_KEPT_MAX) memory.delete(memory.keys().next().value!);
    return policy;
  };
}

async function findPolicy({ db, resolver, http, log }: Options, domain: string) {
  // Not every text behind an @ is one that belongs into a URL.
  if (!/^[a-z0-9._-]+$/.test(domain)) return null;
  const failed = (error: unknown) => {
    log.warn({ domain, err: error }, "MTA-STS policy not looked up");
    return null;
  };
  const [known, policyId] = await Promise.all([
    loadPolicy(db, domain).catch(failed),
    findPolicyId(resolver, domain).catch(failed),
  ]);
  if (!policyId || (known?.policyId === policyId && !known.needsRefresh)) return known;
  const fetched = await fetchPolicy(http, domain).catch(failed);
  if (!fetched) return known;
  await storePolicy(db, { domain, policyId, ...fetched }).catch(failed);
  return fetched;
}
