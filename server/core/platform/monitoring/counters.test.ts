import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { metricTotals } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { count, flushCounters, listTotals, observe } from "./counters.ts";

beforeEach(async () => {
  await flushCounters(db());
  await db().delete(metricTotals);
});

const totals = async () => {
  const rows = await listTotals(db());
  return Object.fromEntries(
    rows.map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(" "), value]),
  );
};

test("adds counts to the totals of earlier processes", async () => {
  await db()
    .insert(metricTotals)
    .values({ name: "posthouse_process_starts_total", labels: '{"role":"web"}', value: 41 });
  count("posthouse_process_starts_total", { role: "web" });
  count("posthouse_process_starts_total", { role: "worker" }, 2);
  await flushCounters(db());
  await flushCounters(db());
  expect(await totals()).toEqual({
    "posthouse_process_starts_total web": 42,
    "posthouse_process_starts_total worker": 2,
  });
});

test("the order of labels doesn't matter", async () => {
  count("posthouse_deliveries_total", { queue: "email", outcome: "delivered" });
  count("posthouse_deliveries_total", { outcome: "delivered", queue: "email" });
  await flushCounters(db());
  expect(await listTotals(db())).toEqual([
    {
      name: "posthouse_deliveries_total",
      labels: { outcome: "delivered", queue: "email" },
      value: 2,
    },
  ]);
});

test("puts a duration into the smallest bucket that holds it", async () => {
  for (const seconds of [0.005, 0.006, 31])
    observe("posthouse_webhook_attempt_seconds", {}, seconds);
  await flushCounters(db());
  const { posthouse_webhook_attempt_seconds_sum: sum, ...buckets } = await totals();
  expect(buckets).toEqual({
    "posthouse_webhook_attempt_seconds_bucket 0.005": 1,
    "posthouse_webhook_attempt_seconds_bucket 0.025": 1,
    "posthouse_webhook_attempt_seconds_bucket +Inf": 1,
  });
  expect(sum).toBeCloseTo(31.011);
});

test("keeps what couldn't be written for the next flush", async () => {
  await db().execute(sql`alter table metric_totals rename to metric_totals_away`);
  try {
    count("posthouse_process_starts_total", { role: "mail" }, 3);
    observe("posthouse_webhook_attempt_seconds", {}, 0.5);
    const flushing = flushCounters(db());
    observe("posthouse_webhook_attempt_seconds", {}, 0.5);
    await flushing;
    count("posthouse_process_starts_total", { role: "mail" });
    observe("posthouse_webhook_attempt_seconds", {}, 0.25);
  } finally {
    await db().execute(sql`alter table metric_totals_away rename to metric_totals`);
  }
  await flushCounters(db());
  expect(await totals()).toEqual({
    "posthouse_process_starts_total mail": 4,
    "posthouse_webhook_attempt_seconds_bucket 0.25": 1,
    "posthouse_webhook_attempt_seconds_bucket 0.5": 2,
    posthouse_webhook_attempt_seconds_sum: 1.25,
  });
});
