import type { Db } from "#server/db/client.ts";

import { loadSigningKeys, type SigningKey } from "./load-signing-keys.ts";

const TTL_MS = 30_000;
const ENTRIES_MAX = 5_000;

type Entry = { key: SigningKey; staleAt: number };

/**
 * Caches signing keys by domain id for 30 seconds, so a rotated key takes effect by then. Missing and broken
 * keys aren't cached.
 */
export class SigningKeyCache {
  readonly #entries = new Map<string, Entry>();
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Like `loadSigningKeys`, but queries only domains that aren't cached. */
  async load(domainIds: string[]): Promise<Map<string, SigningKey | Error>> {
    const now = performance.now();
    const found = new Map<string, SigningKey | Error>();
    const missing: string[] = [];
    for (const domainId of new Set(domainIds)) {
      const entry = this.#entries.get(domainId);
      if (entry && entry.staleAt > now) found.set(domainId, entry.key);
      else missing.push(domainId);
    }
    if (missing.length > 0)
      for (const [domainId, key] of await loadSigningKeys(this.#db, missing)) {
        found.set(domainId, key);
        if (!(key instanceof Error)) this.#remember(domainId, key, now + TTL_MS);
      }
    return found;
  }

  #remember(domainId: string, key: SigningKey, staleAt: number) {
    this.#entries.delete(domainId);
    this.#entries.set(domainId, { key, staleAt });
    if (this.#entries.size <= ENTRIES_MAX) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }
}
