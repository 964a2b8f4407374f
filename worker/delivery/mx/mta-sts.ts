import { domainToASCII } from "node:url";

import type { Logger } from "pino";

import { loadPolicy, storePolicy } from "#server/core/sending/mta-sts/policies.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { OutgoingFailure, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import type { MtaStsPolicy } from "#drizzle/schema/index.ts";

const POLICY_TIMEOUT_MS = 10_000;
const POLICY_BYTES_MAX = 64 * 1024;

/** RFC 8461 §3.3 asks for this pause before fetching again after a failure. */
const LOOKUP_TTL_MS = 5 * 60_000;
const CACHED_DOMAINS_MAX = 10_000;

/**
 * Returns the MTA-STS policy that applies to mail to the domain, or null. Never throws: if the lookup
 * fails, the domain is treated as having no policy.
 */
export type PolicyFinder = (domain: string) => Promise<PolicyTerms | null>;

type Options = { db: Db; resolver: Resolver; http: OutgoingHttp; log: Logger };

/**
 * Finds policies (RFC 8461), with at most one lookup per domain in five minutes. A known policy applies
 * until its `max_age` is reached: neither a missing record nor a failed fetch revokes it.
 */
export function createPolicyFinder(options: Options): PolicyFinder {
  const cache = new PromiseCache<PolicyTerms | null>({
    max: CACHED_DOMAINS_MAX,
    ttlMs: LOOKUP_TTL_MS,
  });
  return (domain) => {
    const name = domainToASCII(domain);
    return cache.get(name, () => findPolicy(options, name));
  };
}

async function findPolicy({ db, resolver, http, log }: Options, domain: string) {
  // The text after an @ isn't always a name that belongs in a URL.
  if (!/^[a-z0-9._-]+$/.test(domain)) return null;
  const failed = (error: unknown) => {
    log.warn({ domain, err: error }, "MTA-STS policy lookup failed");
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

/**
 * The policy id in the domain's TXT record `_mta-sts` (RFC 8461 §3.1). Null if there is no such record,
 * more than one, or no answer: the cached policy then still applies.
 */
async function findPolicyId(resolver: Resolver, domain: string): Promise<string | null> {
  const answer = await resolver.txt(`_mta-sts.${domain}`);
  const texts = answer.kind === "found" ? answer.records : [];
  const [record, ...others] = texts.filter((text) => /^v=STSv1[ \t]*;/.test(text));
  if (!record || others.length > 0) return null;
  return /;[ \t]*id=([a-z0-9]{1,32})[ \t]*(;|$)/i.exec(record)?.[1] ?? null;
}

/**
 * Fetches the policy of a domain from its policy host (RFC 8461 §3.3).
 *
 * @returns null if the fetch fails
 */
async function fetchPolicy(http: OutgoingHttp, domain: string): Promise<PolicyTerms | null> {
  try {
    const { status, headers, body, isCut } = await http.request({
      url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`,
      method: "GET",
      headers: { accept: "text/plain" },
      timeoutMs: POLICY_TIMEOUT_MS,
      answerBytesMax: POLICY_BYTES_MAX,
    });
    const isText = /^text\/plain(\s*;|\s*$)/i.test(headers["content-type"] ?? "");
    return status === 200 && isText && !isCut ? readPolicy(body.toString("utf8")) : null;
  } catch (error) {
    if (error instanceof OutgoingFailure) return null;
    throw error;
  }
}

export type PolicyTerms = Pick<MtaStsPolicy, "mode" | "mx" | "maxAgeSeconds">;

const MODES: readonly string[] = ["enforce", "testing", "none"] satisfies PolicyTerms["mode"][];

/** RFC 8461 §3.2 allows at most a year. */
const MAX_AGE_SECONDS_MAX = 31_557_600;

const MAIL_HOST = /^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+$/;

/**
 * Parses a policy file (RFC 8461 §3.2). The first of duplicate fields counts, unknown fields are ignored,
 * and patterns that no host can match are dropped.
 *
 * @returns null if the text is not a policy
 */
export function readPolicy(text: string): PolicyTerms | null {
  const fields = text.split(/\r?\n/).map(readField);
  const first = (name: string) => fields.find((field) => field.name === name)?.value;

  const mode = first("mode") ?? "";
  const maxAge = first("max_age") ?? "";
  if (first("version") !== "STSv1" || !isMode(mode) || !/^\d{1,10}$/.test(maxAge)) return null;
  const mx = fields
    .filter(({ name }) => name === "mx")
    .map(({ value }) => value.toLowerCase().replace(/\.$/, ""))
    .filter((pattern) => MAIL_HOST.test(pattern));
  if (mode !== "none" && mx.length === 0) return null;
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), MAX_AGE_SECONDS_MAX) };
}

function readField(line: string): { name: string; value: string } {
  const [name = "", ...rest] = line.split(":");
  return { name: name.trim(), value: rest.join(":").trim() };
}

const isMode = (text: string): text is PolicyTerms["mode"] => MODES.includes(text);

/**
 * Whether a policy lists a mail server (RFC 8461 §4.1): `*.` stands for exactly one label.
 *
 * @param host lowercase, without the trailing dot
 */
export function matchesPolicy(host: string, patterns: string[]): boolean {
  const [label = ""] = host.split(".", 1);
  return patterns.includes(host) || patterns.includes(`*${host.slice(label.length)}`);
}
