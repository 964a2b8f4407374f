import type { Resolver } from "#server/gateways/dns.ts";

// Shorter than practically any TTL. A sender's messages come in bursts.
const CACHE_TTL_MS = 5_000;
const ENTRIES_MAX = 5_000;

type Entry = { answer: Promise<unknown>; askedAt: number };

/** A resolver that caches answers for five seconds, including negative ones (NXDOMAIN, no data) but not failures. */
export function cachingResolver(
  resolver: Pick<Resolver, "resolve">,
  now: () => number = () => performance.now(),
): Pick<Resolver, "resolve"> {
  const known = new Map<string, Entry>();
  return {
    resolve(name, rrtype) {
      const question = `${rrtype} ${name.toLowerCase()}`;
      const kept = known.get(question);
      if (kept && now() - kept.askedAt < CACHE_TTL_MS) return kept.answer;
      if (known.size >= ENTRIES_MAX) known.clear();
      const entry: Entry = { answer: resolver.resolve(name, rrtype), askedAt: now() };
      known.set(question, entry);
      entry.answer.catch((error: unknown) => {
        if (!isNegativeAnswer(error) && known.get(question) === entry) known.delete(question);
      });
      return entry.answer;
    },
  };
}

const isNegativeAnswer = (error: unknown) =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ENOTFOUND" || error.code === "ENODATA");
