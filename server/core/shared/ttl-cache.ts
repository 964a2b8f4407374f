import { LRUCache } from "lru-cache";

type Options = { max: number; ttlMs: number; now?: (() => number) | undefined };

/** A cache of at most `max` values that expire after `ttlMs`. Evicts the least recently used one. */
export function createTtlCache<Value extends object | string | number | boolean>({
  max,
  ttlMs,
  // Looked up at each call: tests replace the clock.
  now = () => performance.now(),
}: Options): LRUCache<string, Value> {
  // Never 0, which lru-cache takes for "no TTL".
  return new LRUCache({ max, ttl: ttlMs, ttlResolution: 0, perf: { now: () => now() + 1 } });
}
