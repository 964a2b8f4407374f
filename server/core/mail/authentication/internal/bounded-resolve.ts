import type { Resolver } from "#server/gateways/dns.ts";

/** As mailauth asks. */
export type Resolve = (name: string, rrtype: string) => Promise<string[]>;

const LOOKUPS_MAX = 80;
const TIMEOUT_MS = 20_000;

/**
 * Asks for what one message needs to be checked: each question once, not more of them than an honest
 * message needs, and none after 20 seconds. What is not asked fails as if nobody had answered.
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
    return (await resolver.resolve(name, rrtype)) as string[];
  } catch (error) {
    // A name that cannot be asked for does not exist: that is no trouble of the DNS.
    throw codeOf(error) === "EBADNAME" ? dnsError("ENOTFOUND") : error;
  }
}

function withTimeout<Result>(work: Promise<Result>, patienceMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(dnsError("ETIMEOUT")), Math.max(0, patienceMs));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? error.code : undefined;

const dnsError = (code: string) => Object.assign(new Error(code), { code });
