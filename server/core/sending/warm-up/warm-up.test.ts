import { and, eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { emails, messages, settings, warmUps } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany } from "#server/testing/factories.ts";
import { aQueuedEmail, aSender } from "#server/testing/queued-emails.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import {
  listWarmUps,
  recordFirstSending,
  reserveQuota,
  returnQuota,
  WARM_UP_DAYS,
} from "./warm-up.ts";

beforeEach(() => waitOutMidnight());

beforeEach(async () => {
  for (const table of [warmUps, settings, emails, messages]) await db().delete(table);
  invalidateSettings();
});

const GOOGLE = { subject: "server", provider: "google", isBatch: false };
const reserve = (wanted: number, given: Partial<typeof GOOGLE> = {}) =>
  reserveQuota(db(), { ...GOOGLE, ...given }, wanted);
const server = (provider: string) =>
  and(eq(warmUps.subject, "server"), eq(warmUps.provider, provider));
/** Moves the start and the last use of a warm-up to earlier days. */
const age = (days: number) =>
  db()
    .execute(sql`update warm_ups set started_on = started_on - ${days}::int, day = day - ${days}::int
    where provider <> '*'`);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test("reservations at the same time never exceed the day's quota, and the next day has more", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => reserve(15)));
  expect(all.reduce((sum, { granted }) => sum + granted, 0)).toBe(200);
  expect(all[0]).toMatchObject({ day: 1, first: 200 });
  expect(all[0]!.secondsLeft).toBeLessThanOrEqual(86_400);
  expect((await reserve(1, { provider: "yahoo" })).granted).toBe(1);

  await age(1);
  expect(await reserve(1_000)).toMatchObject({ granted: 300, day: 2 });
  await age(WARM_UP_DAYS - 2);
  expect((await reserve(1e8)).granted).toBe(Math.floor(200 * 1.5 ** (WARM_UP_DAYS - 1)));
  await age(1);
  expect(await reserve(10_000)).toMatchObject({ granted: 10_000, day: WARM_UP_DAYS + 1 });
});

test("batches leave a part of the quota to other mail; unknown providers have more together", async () => {
  expect((await reserve(1_000, { isBatch: true })).granted).toBe(160);
  expect((await reserve(1, { isBatch: true })).granted).toBe(0);
  expect((await reserve(1_000)).granted).toBe(40);
  expect((await reserve(10_000, { provider: "other" })).granted).toBe(1_000);
});

test("unused parts can be reserved again on the same day", async () => {
  const { date } = await reserve(200);
  await returnQuota(db(), GOOGLE, { date, unused: 30 });
  await returnQuota(db(), GOOGLE, { date: "2026-01-01", unused: 30 });
  expect((await reserve(100)).granted).toBe(30);
});

test("a statement that waited over midnight doesn't bring back the day before", async () => {
  await reserve(10);
  await db().execute(sql`update warm_ups set day = day + 1, used = 150`);
  const { granted, date } = await reserve(1_000);
  expect(granted).toBe(150);
  expect(date > new Date().toISOString().slice(0, 10)).toBe(true);
});

test("a server that has sent mail before has no warm-up, unless an operator starts one", async () => {
  const id = await aQueuedEmail(await aSender(), "ann@there.test");
  await db()
    .execute(sql`insert into email_events (email_id, company_id, type, recipient, created_at)
    select id, company_id, 'delivered', 'ann@there.test', ${daysAgo(300)} from emails where id = ${id}`);
  await recordFirstSending(db());
  await recordFirstSending(db());
  expect((await reserve(5_000)).granted).toBe(5_000);
  expect((await reserve(5_000, { subject: "domain new.test" })).granted).toBe(200);

  await changeSetting(db(), "warm_up", daysAgo(1).slice(0, 10));
  expect(await reserve(5_000, { provider: "yahoo" })).toMatchObject({ granted: 300, day: 2 });
  expect((await reserve(5_000)).day).toBe(2);
  await changeSetting(db(), "warm_up", "2999-12-31");
  expect((await reserve(5_000, { provider: "apple" })).granted).toBe(5_000);
});

test("mail of mailboxes counts as sent, mail to the sandbox doesn't", async () => {
  const { id: companyId } = await aCompany();
  await anAcceptedMessage({ companyId, to: ["you@posthouse.localhost", "ann@there.test"] });
  const settle = (recipient: string, days: number) =>
    db()
      .execute(sql`update message_recipients set state = 'delivered', settled_at = ${daysAgo(days)}
      where recipient = ${recipient}`);
  const startedOn = async () => {
    await db().delete(warmUps);
    await recordFirstSending(db());
    const [row] = await db().select().from(warmUps).where(server("*"));
    return row!.startedOn;
  };
  await settle("you@posthouse.localhost", 9);
  expect(await startedOn()).toBe("infinity");
  await settle("ann@there.test", 5);
  expect(await startedOn()).toBe(daysAgo(5).slice(0, 10));
});

test("lists warm-ups under way with their day and quota, as the settings say", async () => {
  const list = (localMode = false) => listWarmUps(db(), { localMode });
  await recordFirstSending(db());
  await reserve(30);
  await reserve(10, { provider: "other" });
  await reserve(20, { subject: "domain new.test" });
  await reserve(40, { subject: "address mail2.here.test" });
  await age(1);
  await reserve(5);
  expect(await list()).toEqual([
    { subject: "server", provider: "google", day: 2, used: 5, quota: 300 },
    { subject: "server", provider: "other", day: 2, used: 0, quota: 1_500 },
    { subject: "address mail2.here.test", provider: "google", day: 2, used: 0, quota: 300 },
  ]);
  await changeSetting(db(), "warm_up", "off");
  await changeSetting(db(), "warm_up_domains", "new.test,other.test");
  expect(await list()).toEqual([
    { subject: "domain new.test", provider: "google", day: 2, used: 0, quota: 300 },
  ]);
  expect(await list(true)).toEqual([]);
  await age(WARM_UP_DAYS - 1);
  expect(await list()).toEqual([]);
});
