import { and, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

// Short, but enough for the hundreds of recipients a second at the same few domains.
const CACHE_TTL_MS = 1_000;
const ENTRIES_MAX = 10_000;

/** Domains with verified ownership, which the appliance accepts mail for. Cached for a second. */
export class OwnedDomains {
  readonly #db: Db;
  readonly #known = new Map<string, { companyId: Promise<string | null>; readAt: number }>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The company that owns the domain, or null. */
  companyOf(name: string): Promise<string | null> {
    const now = performance.now();
    const known = this.#known.get(name);
    if (known && now - known.readAt < CACHE_TTL_MS) return known.companyId;
    if (this.#known.size >= ENTRIES_MAX) this.#known.clear();
    const entry = { companyId: findCompany(this.#db, name), readAt: now };
    this.#known.set(name, entry);
    entry.companyId.catch(() => {
      if (this.#known.get(name) === entry) this.#known.delete(name);
    });
    return entry.companyId;
  }
}

async function findCompany(db: Db, name: string): Promise<string | null> {
  const [found] = await db
    .select({ companyId: domains.companyId })
    .from(domains)
    .where(and(eq(domains.name, name), isNotNull(domains.ownershipProvenAt)));
  return found?.companyId ?? null;
}
