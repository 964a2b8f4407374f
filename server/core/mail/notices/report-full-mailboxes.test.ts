import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { fullMailboxes, mailboxes, mailboxUsage } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { queuedNotices } from "#server/testing/queued-notices.ts";

import { fullMailboxesNotice, readFullMailboxes } from "./internal/mailbox-notices.ts";
import { reportFullMailboxes } from "./trouble-reports.ts";

const MB = 1_048_576;

let companyId: string;
let domain: Awaited<ReturnType<typeof aDomain>>;
beforeEach(async () => {
  companyId = (await aCompany()).id;
  domain = await aDomain(companyId);
});

async function aMailboxUsing(usedMb: number, quotaMb = 100): Promise<string> {
  const { address } = await aMailbox(domain, { quotaMb });
  await use(address, usedMb);
  return address;
}
const use = (address: string, usedMb: number) =>
  db()
    .insert(mailboxUsage)
    .values({ address, usedBytes: usedMb * MB })
    .onConflictDoUpdate({ target: mailboxUsage.address, set: { usedBytes: usedMb * MB } });
const hoursPass = (hours: number) =>
  db()
    .update(fullMailboxes)
    .set({ noticedAt: sql`noticed_at - make_interval(hours => ${hours})` });

/** How many notices were queued, and the mailboxes in the newest. */
async function notices() {
  const queued = await queuedNotices(companyId);
  const newest = queued.at(-1) as { noticedAt: string } | undefined;
  const listed = newest ? await readFullMailboxes({ db: db(), companyId }, newest.noticedAt) : [];
  return { count: queued.length, listed: listed.map(({ address, isFull }) => [address, isFull]) };
}

test("one notice lists all mailboxes that became full or nearly full, once, even with two workers", async () => {
  const full = await aMailboxUsing(100);
  const nearly = await aMailboxUsing(90);
  await aMailboxUsing(89);
  await aMailboxUsing(500, 0);
  await Promise.all([reportFullMailboxes(db()), reportFullMailboxes(db())]);
  await hoursPass(48);
  await reportFullMailboxes(db());
  expect(await notices()).toMatchObject({ count: 1 });
  await hoursPass(-48);
  expect((await notices()).listed).toEqual([
    [full, true],
    [nearly, false],
  ]);
});

test("a nearly full mailbox waits a day after the last notice, a full one an hour", async () => {
  await aMailboxUsing(95);
  await reportFullMailboxes(db());
  const second = await aMailboxUsing(92);
  await hoursPass(2);
  await reportFullMailboxes(db());
  expect(await notices()).toMatchObject({ count: 1 });
  await use(second, 100);
  await reportFullMailboxes(db());
  expect(await notices()).toEqual({ count: 2, listed: [[second, true]] });
});

test("a mailbox is reported again only after it had space", async () => {
  const address = await aMailboxUsing(95);
  await reportFullMailboxes(db());
  await hoursPass(48);
  for (const usedMb of [88, 95]) {
    await use(address, usedMb);
    await reportFullMailboxes(db());
  }
  expect(await notices()).toMatchObject({ count: 1 });
  await use(address, 50);
  await reportFullMailboxes(db());
  await use(address, 95);
  await reportFullMailboxes(db());
  expect(await notices()).toMatchObject({ count: 2, listed: [[address, false]] });
  await db().delete(mailboxes).where(eq(mailboxes.address, address));
  expect((await notices()).listed).toEqual([]);
});

test("the notice says how full they are", () => {
  const names = { baseUrl: "https://mail.example", companyName: "Northwind" };
  const one = { address: "ann@x.test", orgUnitId: 1, isFull: true, percent: 100 };
  expect(fullMailboxesNotice([one], names)).toMatchObject({
    subject: "ann@x.test is full",
    paragraphs: expect.arrayContaining(["ann@x.test: 100% of its storage used"]) as string[],
  });
  const two = { ...one, address: "bob@x.test", isFull: false, percent: 93 };
  expect(fullMailboxesNotice([one, two], names).subject).toBe(
    "2 mailboxes are full or nearly full",
  );
});
