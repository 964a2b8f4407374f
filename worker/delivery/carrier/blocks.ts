import { createTtlCache } from "#server/core/shared/ttl-cache.ts";
import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";

/** How long to skip a destination that blocks this machine. */
const BLOCK_TTL_MS = 5 * 60_000;
const BLOCKS_MAX = 10_000;

type KnownBlock = { answer: Failure; host: string | undefined };

/** Destinations and domains that block this machine, by key or name. */
export class Blocks {
  readonly #known = createTtlCache<KnownBlock>({ max: BLOCKS_MAX, ttlMs: BLOCK_TTL_MS });

  find(key: string): KnownBlock | null {
    return this.#known.get(key) ?? null;
  }

  /** @returns false if the block was already known */
  add(key: string, block: KnownBlock): boolean {
    if (this.find(key)) return false;
    this.#known.set(key, block);
    return true;
  }
}
