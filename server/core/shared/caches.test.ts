import { expect, test } from "vitest";

import { createTtlCache, PromiseCache } from "./caches.ts";

/** A load that counts its calls and answers with their number. */
function counter() {
  let calls = 0;
  return () => Promise.resolve(++calls);
}

test("concurrent and later calls share a load, by key", async () => {
  const cache = new PromiseCache<number>({ max: 10 });
  const load = counter();
  expect(await Promise.all([cache.get("a", load), cache.get("a", load)])).toEqual([1, 1]);
  expect(await cache.get("a", load)).toBe(1);
  expect(await cache.get("b", load)).toBe(2);
});

test("the TTL starts with the load", async () => {
  let time = 1_000;
  const cache = new PromiseCache<number>({ max: 10, ttlMs: 100, now: () => time });
  const slow = Promise.withResolvers<number>();
  const first = cache.get("a", () => slow.promise);
  time = 1_090;
  slow.resolve(1);
  expect(await first).toBe(1);
  expect(await cache.get("a", () => Promise.resolve(2))).toBe(1);
  time = 1_101;
  expect(await cache.get("a", () => Promise.resolve(2))).toBe(2);
});

test("a failed load reaches everyone who waits for it, and the next call loads again", async () => {
  const cache = new PromiseCache<number>({ max: 10, ttlMs: 60_000 });
  const failing = () => Promise.reject<number>(new Error("down"));
  const both = [cache.get("a", failing), cache.get("a", () => Promise.resolve(1))];
  for (const answer of both) await expect(answer).rejects.toThrow("down");
  expect(await cache.get("a", () => Promise.resolve(2))).toBe(2);
});

test("a load that fails late doesn't evict its successor", async () => {
  const cache = new PromiseCache<number>({ max: 10 });
  const late = Promise.withResolvers<number>();
  const first = cache.get("a", () => late.promise);
  cache.clear();
  expect(await cache.get("a", () => Promise.resolve(2))).toBe(2);
  late.reject(new Error("down"));
  await expect(first).rejects.toThrow("down");
  expect(await cache.get("a", () => Promise.resolve(3))).toBe(2);
});

test("a value that isn't kept is loaded again", async () => {
  const cache = new PromiseCache<number>({ max: 10, isKept: (value) => value > 1 });
  const load = counter();
  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await cache.get("a", load));
  expect(answers).toEqual([1, 2, 2, 2]);
});

test("evicts the least recently used entry beyond the limit", async () => {
  const cache = new PromiseCache<string>({ max: 2 });
  const get = (key: string, value: string) => cache.get(key, () => Promise.resolve(value));
  await get("a", "first");
  await get("b", "first");
  await get("a", "second");
  await get("c", "first");
  expect([await get("a", "third"), await get("c", "third")]).toEqual(["first", "first"]);
  expect(await get("b", "third")).toBe("third");
});

test("an empty cache allocates nothing for the entries it may get", () => {
  const before = process.memoryUsage().heapUsed;
  const cache = createTtlCache<string>({ max: 5_000_000, ttlMs: 1_000 });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10e6);
  expect(cache.get("a")).toBeUndefined();
});
