import { domainToASCII } from "node:url";

import type { Answer as DnsAnswer } from "dns-packet";

import { createTtlCache, PromiseCache } from "#server/core/shared/caches.ts";
import { isValidating, type SecureAnswer, type SecureDns } from "#server/gateways/secure-dns.ts";
import { isUsable, type Tlsa } from "#mail/smtp/tls.ts";

/** `insecure`: without DNSSEC, so DANE doesn't apply. */
export type MxSecurity =
  /** With the domain's name after following CNAME records. */
  { kind: "secure"; name: string } | { kind: "insecure" } | { kind: "failed"; reason: string };

export type TlsaAnswer =
  /** `base`: the host's name, or the name that it is a CNAME of. */
  | { kind: "found"; base: string; records: Tlsa[] }
  | { kind: "none" }
  | { kind: "failed"; reason: string };

/** Looks up what DANE needs (RFC 7672). Never throws. A failed lookup must delay mail, never send it without DANE. */
export type TlsaFinder = {
  /** Whether DNSSEC validates the domain's MX records. */
  mxSecurity(domain: string): Promise<MxSecurity>;
  /** The TLSA records of a mail server of a secure domain. */
  tlsa(host: string): Promise<TlsaAnswer>;
};

const PROBE_TTL_MS = 30_000;
const MX_TTL_MS = 60_000;
const TLSA_TTL_MS = { min: 30_000, max: 3_600_000 };
const CACHED_NAMES_MAX = 10_000;
const INSECURE: MxSecurity = { kind: "insecure" };
const NONE: TlsaAnswer = { kind: "none" };

type Timed = { answer: TlsaAnswer; ttlMs: number };

/**
 * Creates a finder that caches answers: TLSA records for their TTL, at least 30 seconds and at most an hour. While the
 * resolver doesn't validate, every domain is insecure, without a query.
 *
 * @param port of mail servers
 */
export function createTlsaFinder(dns: SecureDns, port: number): TlsaFinder {
  const probes = new PromiseCache<void>({ max: 1, ttlMs: PROBE_TTL_MS });
  let isSecure = false;
  const domains = new PromiseCache<MxSecurity>({
    max: CACHED_NAMES_MAX,
    ttlMs: MX_TTL_MS,
    isKept: ({ kind }) => kind !== "failed",
  });
  const known = createTtlCache<TlsaAnswer>({ max: CACHED_NAMES_MAX, ttlMs: TLSA_TTL_MS.max });
  const loading = new PromiseCache<TlsaAnswer>({ max: CACHED_NAMES_MAX, isKept: () => false });

  const probe = async (): Promise<void> => {
    // A resolver that fails now hasn't stopped validating.
    isSecure = (await isValidating(dns)) ?? isSecure;
  };

  const load = async (host: string): Promise<TlsaAnswer> => {
    const { answer, ttlMs } = await findTlsa(dns, host, port);
    if (answer.kind !== "failed") known.set(host, answer, { ttl: ttlMs });
    return answer;
  };

  return {
    async mxSecurity(domain) {
      await probes.get("", probe);
      if (!isSecure) return INSECURE;
      const name = domainToASCII(domain);
      return domains.get(name, async () => readMx(await dns.query(name, "MX"), name));
    },
    tlsa: async (host) => known.get(host) ?? loading.get(host, () => load(host)),
  };
}

function readMx(answer: SecureAnswer, name: string): MxSecurity {
  if (answer.kind === "failed") return answer;
  if (!answer.isSecure) return INSECURE;
  return { kind: "secure", name: answer.kind === "found" ? expand(name, answer.answers) : name };
}

async function findTlsa(dns: SecureDns, host: string, port: number): Promise<Timed> {
  const bases = await findBases(dns, host);
  if (!Array.isArray(bases)) return { answer: bases, ttlMs: TLSA_TTL_MS.min };
  for (const base of bases) {
    const answer = await dns.query(`_${port}._tcp.${base}`, "TLSA");
    if (answer.kind === "failed") return { answer, ttlMs: TLSA_TTL_MS.min };
    if (answer.kind !== "found" || !answer.isSecure) continue;
    const all = answer.answers.flatMap(readTlsa);
    const ttlMs = Math.max(answer.ttlSeconds * 1000, TLSA_TTL_MS.min);
    return {
      answer: { kind: "found", base, records: all.filter(isUsable) },
      ttlMs: Math.min(ttlMs, TLSA_TTL_MS.max),
    };
  }
  return { answer: NONE, ttlMs: MX_TTL_MS };
}

/**
 * The names to look up TLSA records under, in order (RFC 7672, 2.2.2 and 2.2.3): of a CNAME, its target and then itself,
 * and only itself if the target is insecure. Without secure addresses there are none: name servers of such zones often
 * fail on TLSA queries.
 */
async function findBases(dns: SecureDns, host: string): Promise<string[] | TlsaAnswer> {
  const address = await dns.query(host, "A");
  if (address.kind === "failed") return address;
  const target = address.kind === "found" ? expand(host, address.answers) : host;
  if (address.isSecure) return target === host ? [host] : [target, host];
  if (target === host) return [];
  const alias = await dns.query(host, "CNAME");
  if (alias.kind === "failed") return alias;
  return alias.kind === "found" && alias.isSecure ? [host] : [];
}

/** Follows CNAME records. */
function expand(name: string, answers: DnsAnswer[]): string {
  const targets = new Map(
    answers.flatMap((answer) =>
      answer.type === "CNAME"
        ? [[normalizeName(answer.name), normalizeName(answer.data)] as const]
        : [],
    ),
  );
  let at = normalizeName(name);
  for (let hops = 0; hops <= answers.length; hops++) at = targets.get(at) ?? at;
  return at;
}

const normalizeName = (name: string) => name.toLowerCase().replace(/\.$/, "");

const readTlsa = (answer: DnsAnswer): Tlsa[] =>
  answer.type === "TLSA" ? [{ ...answer.data, data: answer.data.certificate }] : [];
