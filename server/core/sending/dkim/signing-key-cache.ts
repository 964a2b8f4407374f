import { createTtlCache } from "#server/core/shared/ttl-cache.ts";
import type { Db } from "#server/db/client.ts";

import { loadSigningDomains, type SigningDomain } from "./load-signing-domains.ts";

const TTL_MS = 30_000;
const ENTRIES_MAX = 5_000;

/**
 * Caches signing keys by domain id for 30 seconds, so a rotated key takes effect by then. Missing and broken
 * keys aren't cached.
 */
export class SigningKeyCache {
  readonly #keys = createTtlCache<SigningDomain>({ max: ENTRIES_MAX, ttlMs: TTL_MS });
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Like `loadSigningDomains`, but queries only domains that aren't cached. */
  async load(domainIds: string[]): Promise<Map<string, SigningDomain | Error>> {
    const start = this.#keys.perf.now();
    const found = new Map<string, SigningDomain | Error>();
    const missing: string[] = [];
    for (const domainId of new Set(domainIds)) {
      const key = this.#keys.get(domainId);
      if (key) found.set(domainId, key);
      else missing.push(domainId);
    }
    if (missing.length > 0)
      for (const [domainId, key] of await loadSigningDomains(this.#db, missing)) {
        found.set(domainId, key);
        if (!(key instanceof Error)) this.#keys.set(domainId, key, { start });
      }
    return found;
  }
}
