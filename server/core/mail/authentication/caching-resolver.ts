import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import type { Resolver } from "#server/gateways/dns.ts";

// Shorter than practically any TTL. A sender's messages come in bursts.
const CACHE_TTL_MS = 5_000;
const ENTRIES_MAX = 5_000;

type Answered = { records: unknown } | { absence: Error };

/** A resolver that caches answers for five seconds, including negative ones (NXDOMAIN, no data) but not failures. */
export function cachingResolver(
  resolver: Pick<Resolver, "resolve">,
  now?: () => number,
): Pick<Resolver, "resolve"> {
  const cache = new PromiseCache<Answered>({ max: ENTRIES_MAX, ttlMs: CACHE_TTL_MS, now });
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
