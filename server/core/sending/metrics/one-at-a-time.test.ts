import { setTimeout } from "node:timers/promises";

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { Refusal } from "#server/core/shared/refusals.ts";
import { connect } from "#server/db/client.ts";
import { db, pool } from "#server/db/pool.ts";
import { config } from "#server/config.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { getMetrics, type Metrics } from "./metrics.ts";

const LAST_WEEK = {
  start: null,
  end: null,
  zone: "UTC",
  granularity: "daily" as const,
  metrics: ["sent" as const],
  dimensions: [],
  domainIds: [],
};
const NOTHING = { totals: { sent: 0 } };
const RUNNING = { reason: "rate_limit_exceeded" };

/** Locks the emails table while `work` runs. */
async function withEmailsLocked(work: () => Promise<void>): Promise<void> {
  await pool().sql.begin(async (tx) => {
    await tx`lock table emails in access exclusive mode`;
    await work();
  });
}

/** The number of queries that occupy a slot. */
async function running(): Promise<number> {
  const [row] = await db().execute<{ count: number }>(
    sql`select count(distinct pid)::int as count from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`,
  );
  return row!.count;
}

test("rejects a company's second query while the first one runs, but not another company's", async () => {
  const [ours, theirs] = [aContext((await aCompany()).id), aContext((await aCompany()).id)];
  const asked: Promise<Metrics>[] = [];
  await withEmailsLocked(async () => {
    asked.push(getMetrics(ours, LAST_WEEK));
    await expect.poll(running).toBe(1);
    await expect(getMetrics(ours, LAST_WEEK)).rejects.toMatchObject(RUNNING);
    asked.push(getMetrics(theirs, LAST_WEEK));
    await expect.poll(running).toBe(2);
  });
  expect(await Promise.all(asked)).toMatchObject([NOTHING, NOTHING]);
  expect(await getMetrics(ours, LAST_WEEK)).toMatchObject(NOTHING);
});

test("three companies' queries run at once; a fourth waits", async () => {
  const companies = await Promise.all(Array.from({ length: 4 }, async () => (await aCompany()).id));
  const asked: Promise<Metrics>[] = [];
  let counted = 0;
  await withEmailsLocked(async () => {
    for (const [at, id] of companies.entries()) {
      asked.push(getMetrics(aContext(id), LAST_WEEK));
      void asked[at]!.then(() => counted++);
      if (at < 3) await expect.poll(running).toBe(at + 1);
    }
    await setTimeout(500);
    expect(await running()).toBe(3);
    expect(counted).toBe(0);
  });
  expect(await Promise.all(asked)).toMatchObject(companies.map(() => NOTHING));
});

test("rejects a query that gets no slot in five seconds", async () => {
  const companies = await Promise.all(Array.from({ length: 4 }, async () => (await aCompany()).id));
  const asked: Promise<Metrics>[] = [];
  await withEmailsLocked(async () => {
    for (const id of companies.slice(1)) asked.push(getMetrics(aContext(id), LAST_WEEK));
    await expect.poll(running).toBe(3);
    await expect(getMetrics(aContext(companies[0]!), LAST_WEEK)).rejects.toMatchObject(RUNNING);
  });
  await Promise.all(asked);
});

test("of twenty concurrent queries exactly one runs", async () => {
  const ctx = aContext((await aCompany()).id);
  const others = connect(config().databaseUrl!, { max: 20 });
  try {
    let asked: Promise<string>[] = [];
    await withEmailsLocked(async () => {
      asked = Array.from({ length: 20 }, () =>
        getMetrics({ ...ctx, db: others.db }, LAST_WEEK).then(
          () => "counted",
          (error: unknown) => (error instanceof Refusal ? error.reason : "failed"),
        ),
      );
      let refused = 0;
      for (const answer of asked)
        void answer.then((reason) => (refused += Number(reason === "rate_limit_exceeded")));
      await expect.poll(() => refused).toBe(19);
    });
    expect((await Promise.all(asked)).filter((answer) => answer === "counted")).toHaveLength(1);
  } finally {
    await others.close();
  }
});

test("rejects a query that times out and frees the company's slot", async () => {
  const ctx = aContext((await aCompany()).id);
  await withEmailsLocked(async () => {
    await expect(getMetrics(ctx, LAST_WEEK, { timeoutMs: 20 })).rejects.toMatchObject({
      reason: "invalid",
      message: expect.stringContaining("too many emails in the range") as string,
    });
    expect(await running()).toBe(0);
  });
  expect(await getMetrics(ctx, LAST_WEEK)).toMatchObject(NOTHING);
});

test("frees the slot of a process that dies during a query", async () => {
  const ctx = aContext((await aCompany()).id);
  const dying = connect(config().databaseUrl!, { max: 1 });
  await withEmailsLocked(async () => {
    const lost = getMetrics({ ...ctx, db: dying.db }, LAST_WEEK, { timeoutMs: 60_000 });
    const seen = expect(lost).rejects.toThrow();
    await expect.poll(running).toBe(1);
    await dying.sql.end({ timeout: 0 });
    await seen;
    await expect.poll(running).toBe(0);
  });
});
