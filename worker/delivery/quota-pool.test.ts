import fc from "fast-check";
import { expect, test } from "vitest";

import { quotaOn } from "#server/core/sending/warm-up/warm-up.ts";

import { QuotaPool } from "./warm-up.ts";

const DAY = 86_400_000;
const FIRST = 200;

/** Workers with a pool each, and the quota that they share. */
function aQuota({ workers = 1, day = 1 } = {}) {
  const clock = { now: 0 };
  const used: number[] = [];
  let queries = 0;
  const reserve = async (wanted: number) => {
    queries++;
    await Promise.resolve();
    const today = Math.floor(clock.now / DAY);
    const granted = Math.min(wanted, quotaOn(day + today, FIRST) - (used[today] ?? 0));
    used[today] = (used[today] ?? 0) + granted;
    const secondsLeft = ((today + 1) * DAY - clock.now) / 1_000;
    return { granted, day: day + today, first: FIRST, date: String(today), secondsLeft };
  };
  const terms = { reserve, now: () => clock.now, workers: () => workers };
  const pools = Array.from({ length: workers }, () => new QuotaPool(terms));
  return { clock, pools, queries: () => queries };
}

test("workers never take more than the day's quota, nor leave a part that was asked for", async () => {
  const takes = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 50 })), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(takes, async (calls) => {
      const { pools } = aQuota({ workers: 3 });
      const taken = await Promise.all(
        calls.map(async ([worker, count]) => ((await pools[worker]!.take(count)) ? count : 0)),
      );
      const total = taken.reduce((sum, count) => sum + count, 0);
      const left = pools.reduce((sum, pool) => sum + (pool.drain()?.unused ?? 0), 0);
      expect(total + left).toBeLessThanOrEqual(FIRST);
      // What is left in a pool is less than the smallest message that it turned away.
      const refused = calls.filter((_, at) => taken[at] === 0).map(([, count]) => count);
      if (refused.length > 0) expect(total + left).toBe(FIRST);
    }),
    { numRuns: 50 },
  );
});

test("few messages cost a query, and many at once cost one together", async () => {
  const { pools, queries } = aQuota();
  const [pool] = pools as [QuotaPool];
  for (let sent = 0; sent < 20; sent++) expect(await pool.take(1)).toBe(true);
  expect(queries()).toBe(1);
  const all = await Promise.all(Array.from({ length: 500 }, () => Promise.resolve(pool.take(1))));
  expect(all.filter(Boolean)).toHaveLength(FIRST - 20);
  expect(queries()).toBe(2);
  expect(pool.take(1)).toBe(false);
  pool.putBack(1);
  expect(pool.take(1)).toBe(true);
});

test("a new day has its own quota; what was reserved before is gone", async () => {
  const { clock, pools } = aQuota();
  const [pool] = pools as [QuotaPool];
  await pool.take(1);
  clock.now += DAY;
  const all = await Promise.all(Array.from({ length: 400 }, () => Promise.resolve(pool.take(1))));
  expect(all.filter(Boolean)).toHaveLength(quotaOn(2, FIRST));
  pool.putBack(1);
  clock.now += DAY;
  expect(pool.drain()).toBe(null);
});

test("after the last day, nothing is limited", async () => {
  const { pools } = aQuota({ day: 22 });
  const [pool] = pools as [QuotaPool];
  expect(pool.isUnlimited).toBe(false);
  expect(await pool.take(1_000_000)).toBe(true);
  expect([pool.isUnlimited, pool.take(1_000_000), pool.drain()]).toEqual([true, true, null]);
});

test("what doesn't fit is planned for the days when it will, in order", async () => {
  const { pools } = aQuota({ workers: 2 });
  const [pool] = pools as [QuotaPool];
  while (await pool.take(10));
  const plans = Array.from({ length: 1_000 }, () => pool.plan(1));
  expect(plans[0]).toEqual({ at: DAY, day: 1, quota: FIRST });
  const days = Object.groupBy(plans, ({ at }) => Math.floor(at / DAY));
  const counts = Object.values(days).map((list) => list!.length);
  expect(counts.slice(0, 3)).toEqual([150, 225, 337]);
  const times = plans.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("a failed reservation fails those who wait, and the next one works", async () => {
  let fails = true;
  const reserve = () =>
    fails
      ? Promise.reject(new Error("down"))
      : Promise.resolve({ granted: 20, day: 1, first: FIRST, date: "a", secondsLeft: 60 });
  const pool = new QuotaPool({ reserve, now: () => 0, workers: () => 1 });
  const both = await Promise.allSettled([pool.take(1), pool.take(1)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  fails = false;
  expect(await pool.take(1)).toBe(true);
});
