import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { companyTraffic, processes } from "#drizzle/schema/index.ts";
import { processId, registerProcess } from "#server/core/platform/processes/processes.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aProcess } from "#server/testing/factories.ts";

import { type Admission, admitRequest } from "./admit-request.ts";

let companyId: string;

let end: () => Promise<void>;

beforeAll(async () => {
  end = await registerProcess(db(), "web");
});

afterAll(() => end());

beforeEach(async () => {
  await limits({ rate: 10, inProgress: 25 });
  companyId = (await aCompany()).id;
  await countAt(5, 0);
});

/** Stores hits some seconds in the future, which stay in the window during the whole test. */
async function countAt(secondsAhead: number, count: number) {
  await db().delete(companyTraffic).where(eq(companyTraffic.companyId, companyId));
  const hit = sql`(extract(epoch from clock_timestamp()) + ${secondsAhead}) * 1000000`;
  await db().execute(sql`
    insert into company_traffic (company_id, hits, hit_counts)
    values (${companyId}, array[${hit} - 7000000, ${hit}]::bigint[], array[4, ${count}])`);
}

async function limits({ rate, inProgress }: { rate: number; inProgress: number }) {
  await changeSetting(db(), "request_rate_per_second", String(rate));
  await changeSetting(db(), "requests_in_progress", String(inProgress));
}

const admit = () => admitRequest({ db: db(), companyId });
const admitMany = (count: number) => Promise.all(Array.from({ length: count }, admit));
const admittedOf = (all: Admission[]) => all.filter(({ refusal }) => refusal === null);

async function stored() {
  const [row] = await db()
    .select()
    .from(companyTraffic)
    .where(eq(companyTraffic.companyId, companyId));
  return row;
}

/** Moves the recorded hits into the past. */
const later = (microseconds: number) =>
  db().execute(sql`
    update company_traffic
    set hits = array(select hit - ${microseconds}::bigint from unnest(hits) hit order by 1)
    where company_id = ${companyId}`);

test("admits exactly 10 of 40 concurrent requests at a rate of 10", async () => {
  const all = await admitMany(40);

  expect(admittedOf(all)).toHaveLength(10);
  expect(all.map(({ limit }) => limit)).toEqual(Array.from({ length: 40 }, () => 10));
});

test("counts the remaining requests down to zero", async () => {
  const all = await admitMany(12);

  expect(all.map(({ remaining }) => remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
});

test("rejects a request over the rate with a retry after one second", async () => {
  const refused = (await admitMany(11)).at(-1)!.refusal;

  expect(refused).toMatchObject({
    reason: "rate_limit_exceeded",
    retryAfterSeconds: 1,
    message: "Too many requests: at most 10 per second",
  });
});

test("stops counting requests after a second", async () => {
  await countAt(5, 6);

  expect(admittedOf(await admitMany(9))).toHaveLength(4);
});

test("doesn't count rejected requests", async () => {
  await admitMany(10);
  const before = await stored();
  expect(admittedOf(await admitMany(30))).toHaveLength(0);

  expect(await stored()).toEqual({ ...before, admitted: 0 });
  await later(7_000_000);
  expect(admittedOf(await admitMany(10))).toHaveLength(10);
});

test("enforces a rate of thousands exactly", async () => {
  await limits({ rate: 1_000, inProgress: 10_000 });
  const all = (await Promise.all(Array.from({ length: 30 }, () => admitMany(40)))).flat();

  expect(admittedOf(all)).toHaveLength(1_000);
});

test("the row of a company with a high rate stays small", async () => {
  await limits({ rate: 1_000, inProgress: 10_000 });
  companyId = (await aCompany()).id;
  for (let i = 0; i < 200; i++) await admit();

  expect((await stored())!.hits.length).toBeLessThanOrEqual(101);
});

test("admits requests after the clock was set back by an hour", async () => {
  await admitMany(10);
  await later(-3_600_000_000);

  expect(admittedOf(await admitMany(10))).toHaveLength(10);
});

test("admits 25 of 40 concurrent requests, and more as they finish", async () => {
  await limits({ rate: 1_000, inProgress: 25 });
  const all = await admitMany(40);
  const admitted = admittedOf(all);
  expect(admitted).toHaveLength(25);
  expect(all.at(-1)!.refusal).toMatchObject({
    reason: "rate_limit_exceeded",
    retryAfterSeconds: 1,
    message: "Too many concurrent requests: at most 25 can be in progress",
  });

  for (const admission of admitted.slice(0, 3)) {
    admission.release();
    admission.release();
  }
  all.at(-1)!.release();

  expect(admittedOf(await admitMany(10))).toHaveLength(3);
});

test("reports finished requests even if no new one arrives", async () => {
  const admitted = await admitMany(5);
  expect(Object.values((await stored())!.inProgress)).toEqual([5]);

  for (const admission of admitted) admission.release();

  await expect.poll(async () => (await stored())!.inProgress).toEqual({});
});

test("counts each company separately", async () => {
  await admitMany(10);
  companyId = (await aCompany()).id;

  expect(admittedOf(await admitMany(11))).toHaveLength(10);
});

test("releases the slots of a killed process", async () => {
  await limits({ rate: 1_000, inProgress: 25 });
  const { id: killed } = await aProcess();
  await db()
    .update(companyTraffic)
    .set({ inProgress: { [killed]: 24 } })
    .where(eq(companyTraffic.companyId, companyId));
  expect(admittedOf(await admitMany(5))).toHaveLength(1);

  const aliveUntil = sql`clock_timestamp() - interval '1 second'`;
  await db().update(processes).set({ aliveUntil }).where(eq(processes.id, killed));

  expect(admittedOf(await admitMany(25))).toHaveLength(24);
  expect((await stored())!.inProgress).toEqual({ [processId()]: 25 });
});

test("rejects while the database is down and recovers with it", async () => {
  const broken = connect("postgres://nouser@127.0.0.1:1/none");
  await broken.close();

  await expect(admitRequest({ db: broken.db, companyId })).rejects.toThrow();
  expect(admittedOf(await admitMany(11))).toHaveLength(10);
});
