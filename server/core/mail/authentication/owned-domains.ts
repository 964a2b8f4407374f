import { and, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { boundedResolve } from "./caching-resolver.ts";
import { checkSpf, type SmtpClient, type Verdict } from "./verify-message.ts";

// Short, but enough for the hundreds of recipients a second at the same few domains.
const CACHE_TTL_MS = 1_000;

const ENTRIES_MAX = 10_000;

/** Domains with verified ownership, which the appliance accepts mail for. Cached for a second. */
export class OwnedDomains {
  readonly #db: Db;
  readonly #companyIds = new PromiseCache<string | null>({ max: ENTRIES_MAX, ttlMs: CACHE_TTL_MS });

  constructor(db: Db) {
    this.#db = db;
  }

  /** The company that owns the domain, or null. */
  companyOf(name: string): Promise<string | null> {
    return this.#companyIds.get(name, () => findCompany(this.#db, name));
  }
}

async function findCompany(db: Db, name: string): Promise<string | null> {
  const [found] = await db
    .select({ companyId: domains.companyId })
    .from(domains)
    .where(and(eq(domains.name, name), isNotNull(domains.ownershipProvenAt)));
  return found?.companyId ?? null;
}

/** Whether SPF passes for the return path, so that it can get a bounce. False for the null sender. */
export async function isAllowedSender(
  origin: SmtpClient,
  { resolver, hostname }: { resolver: Pick<Resolver, "resolve">; hostname: string },
): Promise<boolean> {
  if (origin.sender === "") return false;
  const { result } = await checkSpf(origin, { resolve: boundedResolve(resolver), hostname });
  return result === "pass";
}

/**
 * Whether an outside message claims to come from a domain of this appliance without passing SPF or DKIM.
 * `p=none`, which the console suggests to start with, asks for reports about such mail, not for its
 * delivery. Stricter policies are enforced elsewhere.
 */
export async function isSpoof(
  { dmarc, isFromVerified }: Pick<Verdict, "dmarc" | "isFromVerified">,
  domains: OwnedDomains,
): Promise<boolean> {
  if (dmarc.domain === null || isFromVerified || dmarc.result === "temperror") return false;
  return (await domains.companyOf(dmarc.domain)) !== null;
}

/**
 * Whether a domain exists in DNS. Only NXDOMAIN counts as nonexistent; DNS failures don't. Queries two types,
 * since some servers answer NXDOMAIN for a type they don't have.
 */
export async function domainExists(
  domain: string,
  resolver: Pick<Resolver, "resolve">,
): Promise<boolean> {
  const answers = await Promise.all(
    ["MX", "A"].map((type) =>
      resolver.resolve(domain, type).then(
        () => true,
        (error: unknown) => !isNxdomain(error),
      ),
    ),
  );
  return answers.includes(true);
}

const isNxdomain = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ENOTFOUND";
