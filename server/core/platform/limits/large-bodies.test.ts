import { sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";

import { largeBodies, processes } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aProcess } from "#server/testing/factories.ts";

import { acquireLargeBodySlot } from "./large-bodies.ts";

const held: (() => void)[] = [];

afterEach(() => {
  for (const giveUp of held.splice(0)) giveUp();
});

async function hold(companyId: string) {
  const giveUp = await acquireLargeBodySlot({ db: db(), companyId });
  held.push(giveUp);
  return giveUp;
}

const newCompany = async () => (await aCompany()).id;

const tooMany = (retryAfterSeconds: number) => ({
  reason: "rate_limit_exceeded",
  retryAfterSeconds,
});

test("gives a company one of ten concurrent slots, and the others a retry after one second", async () => {
  const companyId = await newCompany();

  const all = await Promise.allSettled(Array.from({ length: 10 }, () => hold(companyId)));

  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const one of all)
    if (one.status === "rejected") expect(one.reason).toMatchObject(tooMany(1));
});

test("frees a released slot immediately, and only once", async () => {
  const companyId = await newCompany();
  const first = await hold(companyId);
  first();
  await hold(companyId);
  first();

  await expect(hold(companyId)).rejects.toMatchObject(tooMany(1));
});

test("gives four of ten companies a slot, and the others a retry after two seconds", async () => {
  const companies = await Promise.all(Array.from({ length: 10 }, newCompany));

  const all = await Promise.allSettled(companies.map(hold));

  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
  for (const one of all)
    if (one.status === "rejected") expect(one.reason).toMatchObject(tooMany(2));
});

test("counts another process's slot only while the process lives", async () => {
  const companyId = await newCompany();
  const { id: processId } = await aProcess();
  await db().insert(largeBodies).values({ companyId, processId });
  await expect(hold(companyId)).rejects.toMatchObject(tooMany(1));

  await db()
    .update(processes)
    .set({ aliveUntil: sql`clock_timestamp() - interval '1 second'` });

  await hold(companyId);
  expect((await db().select().from(largeBodies)).map((row) => row.processId)).not.toContain(
    processId,
  );
});
