import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { failingMembers } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { resultOrBlocked } from "#server/testing/blocked.ts";
import { aCompany, aDomain, aGroup } from "#server/testing/factories.ts";
import { queuedNotices } from "#server/testing/queued-notices.ts";

import { failingMembersNotice, readFailingMembers } from "./internal/mailbox-notices.ts";
import { reportFailingMembers } from "./trouble-reports.ts";

let companyId: string;
let group: string;
beforeEach(async () => {
  await db().delete(failingMembers);
  companyId = (await aCompany()).id;
  group = (await aGroup(await aDomain(companyId))).address;
});

const fail = (member: string, noticedAt: string | null = null) =>
  db().insert(failingMembers).values({
    groupAddress: group,
    member,
    companyId,
    noticedAt,
    dsn: "5.1.1",
    reply: "550 User unknown",
    failingSince: "2026-01-01",
  });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** The company's queued notices, as the members they list. */
async function notices(): Promise<string[][]> {
  const rows = (await queuedNotices(companyId)) as { noticedAt: string }[];
  const found = rows.map(({ noticedAt }) => readFailingMembers({ db: db(), companyId }, noticedAt));
  return (await Promise.all(found)).map((members) => members.map(({ member }) => member));
}

test("one notice lists all new members once, even with two concurrent workers", async () => {
  await fail("told@x.test", daysAgo(2));
  await fail("a@x.test");
  await fail("b@x.test");
  await Promise.all([reportFailingMembers(db()), reportFailingMembers(db())]);
  await reportFailingMembers(db());
  expect(await notices()).toEqual([["a@x.test", "b@x.test"]]);
});

test("a member whose row is locked is not left out of the notice", async () => {
  await fail("a@x.test");
  await fail("b@x.test");
  const reported = await db().transaction(async (tx) => {
    await tx.execute(sql`select from failing_members where member = 'b@x.test' for update`);
    const running = reportFailingMembers(db());
    await resultOrBlocked(running);
    return { running };
  });
  await reported.running;
  expect(await notices()).toEqual([["a@x.test", "b@x.test"]]);
});

test("members that fail within a day of a notice wait for the next one", async () => {
  await fail("told@x.test", daysAgo(0.9));
  await fail("a@x.test");
  await reportFailingMembers(db());
  expect(await notices()).toEqual([]);
  await db()
    .update(failingMembers)
    .set({ noticedAt: daysAgo(1.1) })
    .where(eq(failingMembers.member, "told@x.test"));
  await reportFailingMembers(db());
  expect(await notices()).toEqual([["a@x.test"]]);
});

test("the notice lists members, groups and reasons, at most twenty", () => {
  const member = { groupAddress: "all@x.test", dsn: "5.1.1", reply: "550 User unknown" };
  const names = { baseUrl: "https://mail.test", companyName: "Northwind" };
  const one = failingMembersNotice([{ ...member, member: "a@y.test" }], names);
  expect(one.subject).toBe("Mail to a@y.test in all@x.test can’t be delivered");
  expect(one.paragraphs).toContain("a@y.test (all@x.test): The mailbox does not exist.");
  const many = Array.from({ length: 25 }, (_, i) => ({ ...member, member: `m${i}@y.test` }));
  expect(failingMembersNotice(many, names).paragraphs).toContain("And 5 more.");
});
