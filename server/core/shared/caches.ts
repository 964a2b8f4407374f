import { LRUCache } from "lru-cache";

type Options<Value> = {
  /** At most this many entries; the least recently used one is evicted. */
  max: number;
  /** Counted from the start of the load. Without it, entries stay until they are evicted. */
  ttlMs?: number;
  /** Whether to keep a loaded value. */
  isKept?: (value: Value) => boolean;
  now?: (() => number) | undefined;
};

/** Caches loaded values. Concurrent calls share one load, and a failed load isn't cached. */
export class PromiseCache<Value> {
  readonly #entries: LRUCache<string, Promise<Value>>;
  readonly #isKept: (value: Value) => boolean;

  constructor({ max, ttlMs = 0, isKept = () => true, now }: Options<Value>) {
    this.#entries = createTtlCache({ max, ttlMs, now });
    this.#isKept = isKept;
  }

  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known) return known;
    const loading = load();
    this.#entries.set(key, loading);
    const forget = () => {
      if (this.#entries.peek(key, { allowStale: true }) === loading) this.#entries.delete(key);
    };
    loading.then((value) => this.#isKept(value) || forget(), forget);
    return loading;
  }

  clear(): void {
    this.#entries.clear();
  }
}

type TtlCacheOptions = { max: number; ttlMs: number; now?: (() => number) | undefined };

/** A cache of at most `max` values that expire after `ttlMs`. Evicts the least recently used one. */
export function createTtlCache<Value extends object | string | number | boolean>({
  max,
  ttlMs,
  // Looked up at each call: tests replace the clock.
  now = () => performance.now(),
}: TtlCacheOptions): LRUCache<string, Value> {
  return new LRUCache({
    // Unlike `max`, it allocates nothing for entries that an idle process doesn't have.
    maxSize: max,
    sizeCalculation: () => 1,
    ttl: ttlMs,
    ttlResolution: 0,
    // Never 0, which lru-cache takes for "no TTL".
    perf: { now: () => now() + 1 },
  });
}
