import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";

/** How long to skip a destination that blocks this machine. */
const BLOCK_TTL_MS = 5 * 60_000;
const BLOCKS_MAX = 10_000;

type KnownBlock = { answer: Failure; host: string | undefined };

/** Destinations and domains that block this machine, by key or name. */
export class Blocks {
  readonly #known = new Map<string, KnownBlock & { until: number }>();

  find(key: string): KnownBlock | null {
    const known = this.#known.get(key);
    return known && known.until > performance.now() ? known : null;
  }

  /** @returns false if the block was already known */
  add(key: string, block: KnownBlock): boolean {
    if (this.find(key)) return false;
    this.#known.delete(key);
    this.#known.set(key, { ...block, until: performance.now() + BLOCK_TTL_MS });
    if (this.#known.size > BLOCKS_MAX) this.#known.delete(this.#known.keys().next().value!);
    return true;
  }
}
