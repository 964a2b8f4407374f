import { and, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import type { Db } from "#server/db/client.ts";

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
