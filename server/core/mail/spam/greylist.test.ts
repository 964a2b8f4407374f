import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { companies, greylist } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { deleteOldGreylist } from "./delete-old-greylist.ts";
import { isGreylisted } from "./greylist.ts";

let companyId: string;

beforeEach(async () => {
  await db().delete(greylist);
  companyId = (await aCompany()).id;
  await db().update(companies).set({ greylisting: true }).where(eq(companies.id, companyId));
});

const attempt = (overrides: Partial<Parameters<typeof isGreylisted>[1]> = {}) =>
  isGreylisted(db(), {
    companyId,
    clientAddress: "198.51.100.7",
    sender: "ann@example.org",
    recipient: "bob@corp.example",
    ...overrides,
  });

/** Moves what is known into the past. */
async function pass(interval: string): Promise<void> {
  const by = sql`${interval}::interval`;
  await db()
    .update(greylist)
    .set({
      firstSeenAt: sql`first_seen_at - ${by}`,
      lastSeenAt: sql`last_seen_at - ${by}`,
      passedAt: sql`passed_at - ${by}`,
    });
}

test("a new sender is put off until five minutes have passed, then it is known", async () => {
  expect(await attempt()).toBe(true);
  await pass("4 minutes 58 seconds");
  expect(await attempt()).toBe(true);
  await pass("3 seconds");
  expect(await attempt()).toBe(false);
  expect(await attempt()).toBe(false);
});

test("it may come again from a neighbour, and spell itself otherwise", async () => {
  await attempt();
  await pass("6 minutes");
  expect(await attempt({ clientAddress: "198.51.101.7" })).toBe(true);
  expect(await attempt({ sender: "eve@example.net" })).toBe(true);
  expect(await attempt({ recipient: "cy@corp.example" })).toBe(true);
  expect(
    await attempt({
      clientAddress: "::ffff:198.51.100.200",
      sender: "Ann@Example.ORG",
      recipient: "BOB@corp.example",
    }),
  ).toBe(false);
});

test("in IPv6 a network is a /64", async () => {
  await attempt({ clientAddress: "2001:db8:1:2::1" });
  await pass("6 minutes");
  expect(await attempt({ clientAddress: "2001:db8:1:3::1" })).toBe(true);
  expect(await attempt({ clientAddress: "2001:db8:1:2:ffff::9" })).toBe(false);
});

test("who is known in a network is known under new addresses of the domain, and to anybody", async () => {
  await attempt({ sender: "bounce-1@lists.example.org" });
  await pass("6 minutes");
  await attempt({ sender: "bounce-1@lists.example.org" });

  expect(
    await attempt({ sender: "bounce-2@lists.example.org", recipient: "cy@corp.example" }),
  ).toBe(false);
  expect(await attempt({ sender: "x@example.org" })).toBe(true);
  expect(await attempt({ sender: "bounce-3@lists.example.org", clientAddress: "192.0.2.1" })).toBe(
    true,
  );
});

test("who was only put off makes nobody else known", async () => {
  await attempt({ sender: "a@example.org" });
  await pass("6 minutes");
  expect(await attempt({ sender: "b@example.org" })).toBe(true);
});

test("36 days after its last mail it is a stranger again", async () => {
  await attempt();
  await pass("6 minutes");
  await attempt();
  await pass("35 days");
  expect(await attempt()).toBe(false);
  await pass("36 days 1 second");
  expect(await attempt()).toBe(true);
  await pass("6 minutes");
  expect(await attempt()).toBe(false);
});

test("who comes again after five days begins anew", async () => {
  await attempt();
  await pass("5 days 1 second");
  expect(await attempt()).toBe(true);
  await pass("6 minutes");
  expect(await attempt()).toBe(false);
});

test("the null sender is never put off", async () => {
  expect(await attempt({ sender: "" })).toBe(false);
});

test("companies that have not asked for it are left alone", async () => {
  expect(await attempt({ companyId: (await aCompany()).id })).toBe(false);
  expect(await db().select().from(greylist)).toEqual([]);
});

test("many at once are one sender", async () => {
  expect(await Promise.all(Array.from({ length: 8 }, () => attempt()))).toEqual(
    Array<boolean>(8).fill(true),
  );
  await pass("6 minutes");
  expect(await Promise.all(Array.from({ length: 8 }, () => attempt()))).toEqual(
    Array<boolean>(8).fill(false),
  );
});

test("what no longer counts is deleted", async () => {
  await attempt();
  await pass("6 minutes");
  await attempt();
  await attempt({ sender: "eve@example.net" });
  expect(await deleteOldGreylist(db())).toBe(0);
  await pass("5 days 1 second");
  expect(await deleteOldGreylist(db())).toBe(1);
  await pass("31 days");
  expect(await deleteOldGreylist(db())).toBe(1);
});
