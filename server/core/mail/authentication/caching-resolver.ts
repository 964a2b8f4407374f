import { TEXT_MAX } from "#server/core/domains/records/txt-records.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { MailExchange, Resolver } from "#server/gateways/dns.ts";

// Shorter than practically any TTL. A sender's messages come in bursts.
const CACHE_TTL_MS = 5_000;

const ENTRIES_MAX = 5_000;

/** Longest answer to cache, as JSON. Senders choose what answers contain, and one can have 64 kB. */
const KEPT_CHARS_MAX = 16_384;

type Answered = { records: unknown } | { absence: Error };

/** A resolver that caches answers for five seconds, including negative ones (NXDOMAIN, no data), but neither failures nor large ones. */
export function cachingResolver(
  resolver: Pick<Resolver, "resolve">,
  now?: () => number,
): Pick<Resolver, "resolve"> {
  const cache = new PromiseCache<Answered>({
    max: ENTRIES_MAX,
    ttlMs: CACHE_TTL_MS,
    isKept: (answered) => JSON.stringify(answered).length <= KEPT_CHARS_MAX,
    now,
  });
  const ask = async (name: string, rrtype: string): Promise<Answered> => {
    try {
      return { records: await resolver.resolve(name, rrtype) };
    } catch (error) {
      if (isNegativeAnswer(error)) return { absence: error };
      throw error;
    }
  };
  return {
    async resolve(name, rrtype) {
      const question = `${rrtype} ${name.toLowerCase()}`;
      const answered = await cache.get(question, () => ask(name, rrtype));
      if ("absence" in answered) throw answered.absence;
      return answered.records;
    },
  };
}

const isNegativeAnswer = (error: unknown): error is Error =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ENOTFOUND" || error.code === "ENODATA");

/** The resolver function that mailauth expects. */
export type Resolve = (name: string, rrtype: string) => Promise<string[]>;

const LOOKUPS_MAX = 80;
const TIMEOUT_MS = 20_000;

/**
 * A resolver for the checks of one message. It asks each question once, at most 80 of them, and stops after
 * 20 seconds. Lookups beyond that fail as if they had timed out. So do those that fail in another way, such as
 * SERVFAIL: inside an SPF `include:`, mailauth takes unknown errors for "no match" (RFC 7208, 5.2: temperror).
 */
export function boundedResolve(
  resolver: Pick<Resolver, "resolve">,
  { lookupsMax = LOOKUPS_MAX, patienceMs = TIMEOUT_MS } = {},
): Resolve {
  const asked = new Map<string, Promise<string[]>>();
  const deadline = performance.now() + patienceMs;
  return (name, rrtype) => {
    const question = `${rrtype} ${name.toLowerCase()}`;
    const known = asked.get(question);
    if (known) return known;
    const answer =
      asked.size >= lookupsMax
        ? Promise.reject(dnsError("ETIMEOUT"))
        : withTimeout(ask(resolver, name, rrtype), deadline - performance.now());
    asked.set(question, answer);
    return answer;
  };
}

async function ask(
  resolver: Pick<Resolver, "resolve">,
  name: string,
  rrtype: string,
): Promise<string[]> {
  try {
    const records = await resolver.resolve(name, rrtype);
    return usable(records, rrtype) as string[];
  } catch (error) {
    const code = codeOf(error);
    // An invalid name doesn't exist; that isn't a DNS failure.
    if (code === "EBADNAME") throw dnsError("ENOTFOUND");
    if (code === "ENOTFOUND" || code === "ENODATA") throw error;
    // A failing reverse zone is the client's: `ptr` then matches nothing (RFC 7208, 5.5).
    throw dnsError(rrtype === "PTR" ? "ENODATA" : "ETIMEOUT");
  }
}

/**
 * Drops what would cost or break an evaluation. TXT records can be long, and take quadratic time to evaluate. An exchange
 * that is an address has no address records, so `mx` doesn't match it (RFC 7208, 5.4); mailauth would report a permerror.
 */
function usable(records: unknown, rrtype: string): unknown {
  if (rrtype === "TXT")
    return (records as string[][]).filter((strings) => strings.join("").length <= TEXT_MAX);
  if (rrtype === "MX")
    return (records as MailExchange[]).filter(({ exchange }) => HOST_NAME.test(exchange));
  return records;
}

/** A name that mailauth looks up. */
const HOST_NAME = /^([\x20-\x2d\x2f-\x7e]+\.)+[a-z][a-z0-9-]*\.?$/i;

function withTimeout<Result>(work: Promise<Result>, patienceMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(dnsError("ETIMEOUT")), Math.max(0, patienceMs));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? error.code : undefined;

const dnsError = (code: string) => Object.assign(new Error(code), { code });
