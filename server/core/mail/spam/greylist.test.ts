import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { companies, greylist } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { deleteOldGreylist, isGreylisted } from "./greylist.ts";

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

/** Backdates all entries. */
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

test("greylists a new sender for five minutes, then knows it", async () => {
  expect(await attempt()).toBe(true);
  await pass("4 minutes 58 seconds");
  expect(await attempt()).toBe(true);
  await pass("3 seconds");
  expect(await attempt()).toBe(false);
  expect(await attempt()).toBe(false);
});

test("a retry can come from a neighboring address and in different case", async () => {
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

test("an IPv6 network is a /64", async () => {
  await attempt({ clientAddress: "2001:db8:1:2::1" });
  await pass("6 minutes");
  expect(await attempt({ clientAddress: "2001:db8:1:3::1" })).toBe(true);
  expect(await attempt({ clientAddress: "2001:db8:1:2:ffff::9" })).toBe(false);
});

test("a known sender's network is known for all addresses of its domain and all recipients", async () => {
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

test("a greylisted sender doesn't make other senders known", async () => {
  await attempt({ sender: "a@example.org" });
  await pass("6 minutes");
  expect(await attempt({ sender: "b@example.org" })).toBe(true);
});

test("a sender is forgotten 36 days after its last message", async () => {
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

test("a retry after five days counts as the first attempt", async () => {
  await attempt();
  await pass("5 days 1 second");
  expect(await attempt()).toBe(true);
  await pass("6 minutes");
  expect(await attempt()).toBe(false);
});

test("the null sender is never greylisted", async () => {
  expect(await attempt({ sender: "" })).toBe(false);
});

test("companies without greylisting accept mail immediately", async () => {
  expect(await attempt({ companyId: (await aCompany()).id })).toBe(false);
  expect(await db().select().from(greylist)).toEqual([]);
});

test("concurrent attempts count as one sender", async () => {
  expect(await Promise.all(Array.from({ length: 8 }, () => attempt()))).toEqual(
    Array<boolean>(8).fill(true),
  );
  await pass("6 minutes");
  expect(await Promise.all(Array.from({ length: 8 }, () => attempt()))).toEqual(
    Array<boolean>(8).fill(false),
  );
});

test("deletes expired entries", async () => {
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
