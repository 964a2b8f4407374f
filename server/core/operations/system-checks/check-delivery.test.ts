import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { companies, deliveryBlocks, destinationLimits } from "#drizzle/schema/index.ts";
import { recordBlock, storeLimits } from "#server/core/sending/outbox/delivery-blocks.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";

import { checkBlocks, checkLimits, checkSenderRates } from "./check-delivery.ts";

beforeEach(async () => {
  await db().delete(deliveryBlocks);
  await db().delete(destinationLimits);
});

const block = (destination: string, reply = "554 5.7.1 Your IP is on our block list") =>
  recordBlock(db(), { destination, host: `mx.${destination}`, reply });
const age = (interval: string) =>
  db().execute(sql`update delivery_blocks set first_seen_at = first_seen_at - ${interval}::interval,
    last_seen_at = last_seen_at - ${interval}::interval`);

test("passes without blocks", async () => {
  expect(await checkBlocks(db())).toMatchObject({ state: "ok" });
});

test("warns about destinations that block this server, with their replies, for some hours", async () => {
  await block("there.test", "554 5.7.1 Old words");
  await Promise.all([block("there.test"), block("there.test")]);
  expect(await checkBlocks(db())).toMatchObject({
    state: "warning",
    found:
      "Mail is delayed because these destinations block this server: there.test: 554 5.7.1 Your IP is on our block list",
  });
  for (const name of ["a.test", "b.test", "c.test"]) await block(name);
  expect((await checkBlocks(db())).found).toMatch(
    /: c\.test: .*; b\.test: .*; a\.test: .*; and 1 more$/,
  );
  await age("9 hours");
  expect(await checkBlocks(db())).toMatchObject({ state: "ok" });
});

const DAY_MS = 86_400_000;

test("an ongoing block keeps its first time; old blocks are deleted", async () => {
  await block("there.test");
  await block("gone.test");
  await age("8 days");
  await block("there.test");
  const [kept, ...others] = await db().select().from(deliveryBlocks);
  expect(others).toEqual([]);
  // Two readings of the clock, so they may differ by a microsecond.
  expect(Date.parse(kept!.lastSeenAt) - Date.parse(kept!.firstSeenAt)).toBeLessThan(DAY_MS);
  await block("there.test");
  const [again] = await db().select().from(deliveryBlocks);
  expect(again!.firstSeenAt).toBe(kept!.firstSeenAt);
  expect(again!.lastSeenAt > again!.firstSeenAt).toBe(true);
});

test("warns about destinations that throttle this server while they are suspended", async () => {
  expect(await checkLimits(db())).toMatchObject({ state: "ok" });
  const limit = (key: string, minutes: number) =>
    storeLimits(db(), {
      key,
      throttle: "rate",
      reply: "421 4.7.28 Slow down",
      dsn: "4.7.28",
      host: null,
      changedAt: new Date(Date.now() - 1_000).toISOString(),
      suspendedUntil: new Date(Date.now() + minutes * 60_000).toISOString(),
      level: 1,
      connections: null,
      perMinute: 300.5,
    });
  await limit("over", -1);
  expect(await checkLimits(db())).toMatchObject({ state: "ok" });
  await limit("mx 10 mx1.there.test,20 mx2.there.test", 10);
  await limit("domain here.test", 10);
  const { state, found } = await checkLimits(db());
  expect(state).toBe("warning");
  expect(found).toMatch(
    /are throttling this server: .*mx1\.there\.test, next attempt at \d\d:\d\d UTC: 421/,
  );
  expect(found).toMatch(/(: |; )here\.test, next attempt at/);
});

test("names companies whose emails bounce or get complaints too often", async () => {
  const company = await aCompany({ name: "Careless" });
  const domain = await aDomain(company.id);
  const sentAt = new Date().toISOString();
  const emails = (count: number, type: "delivered" | "bounced" | "complained") =>
    placedEmails(
      domain,
      Array.from({ length: count }, () => ({
        sentAt,
        types: type === "complained" ? ["sent", "delivered", type] : ["sent", type],
      })),
    );
  await emails(97, "delivered");
  await emails(2, "bounced");
  expect(await checkSenderRates(db())).toMatchObject({ state: "ok" });
  await emails(1, "bounced");
  expect(await checkSenderRates(db())).toMatchObject({
    state: "warning",
    found: "Bounce or complaint rates are high: Careless: 3 of 100 emails bounced",
  });
  await emails(3, "complained");
  expect(await checkSenderRates(db())).toMatchObject({
    state: "failed",
    found: expect.stringContaining("Careless: 3 complaints about 100 emails") as string,
  });
  const suspendedAt = new Date().toISOString();
  await db().update(companies).set({ suspendedAt }).where(eq(companies.id, company.id));
  expect(await checkSenderRates(db())).toMatchObject({ state: "ok" });
});
