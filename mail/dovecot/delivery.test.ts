import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { type Mailbox, mailboxes, mailboxUsage } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: Mailbox;
beforeAll(async () => {
  dovecot = await aDovecot();
  domain = await aDomain((await aCompany()).id);
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  mailbox = await aMailbox(domain);
});

async function usage(address: string) {
  const [row] = await db().select().from(mailboxUsage).where(eq(mailboxUsage.address, address));
  return row;
}

async function subjects(address: string): Promise<string[]> {
  const app = await signIn(dovecot.imap, address);
  await app.mailboxOpen("INBOX");
  const messages = await app.fetchAll("1:*", { envelope: true });
  await app.logout();
  return messages.map(({ envelope }) => envelope?.subject ?? "");
}

test("a delivered message is visible to mail apps and counted immediately", async () => {
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 2\.0\.0/);
  expect(await usage(mailbox.address)).toMatchObject({ messages: 1 });
  expect((await usage(mailbox.address))!.usedBytes).toBeGreaterThan(50);
  expect(await subjects(mailbox.address)).toEqual(["Hello"]);
});

test("a message that a mail app expunges is no longer counted", async () => {
  await deliver(dovecot.lmtpSocket, mailbox.address);
  const app = await signIn(dovecot.imap, mailbox.address);
  await app.mailboxOpen("INBOX");
  await app.messageDelete("1:*");
  await app.logout();
  await vi.waitFor(async () =>
    expect(await usage(mailbox.address)).toMatchObject({ messages: 0, usedBytes: 0 }),
  );
});

test("a suspended mailbox receives mail", async () => {
  await db()
    .update(mailboxes)
    .set({ suspendedAt: new Date().toISOString(), forcePasswordChange: true })
    .where(eq(mailboxes.address, mailbox.address));
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 2\.0\.0/);
});

test("mail to user+tag is delivered to user, unless a mailbox with that exact name exists", async () => {
  const [user, host] = mailbox.address.split("@");
  const tagged = await aMailbox(domain, { address: `${user!}+own@${host!}` });
  await deliver(dovecot.lmtpSocket, `${user!}+shop+x@${host!}`);
  await deliver(dovecot.lmtpSocket, tagged.address, "Subject: For the tag\r\n\r\nx");
  expect(await subjects(mailbox.address)).toEqual(["Hello"]);
  expect(await subjects(tagged.address)).toEqual(["For the tag"]);
});

test("an unknown address is rejected permanently", async () => {
  expect(await deliver(dovecot.lmtpSocket, `x${mailbox.address}`)).toMatch(/^550 5\.1\.1/);
});

test("a message over the quota is deferred with 452 4.2.2 and not stored; a smaller one is still accepted", async () => {
  await db().update(mailboxes).set({ quotaMb: 1 }).where(eq(mailboxes.address, mailbox.address));
  const big = `Subject: Big\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(20_000)}`;
  expect(await deliver(dovecot.lmtpSocket, mailbox.address, big)).toMatch(
    /^452 4\.2\.2 .*Mailbox is full/,
  );
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250/);
  expect(await subjects(mailbox.address)).toEqual(["Hello"]);
});

test("above its quota, a mailbox accepts no mail, and mail apps can still move messages to Trash", async () => {
  const app = await signIn(dovecot.imap, mailbox.address);
  const large = `Subject: Large\r\n\r\n${"x\r\n".repeat(600_000)}`;
  await app.append("INBOX", large);
  await app.logout();
  await vi.waitFor(async () => expect(await usage(mailbox.address)).toMatchObject({ messages: 1 }));
  await db().update(mailboxes).set({ quotaMb: 1 }).where(eq(mailboxes.address, mailbox.address));

  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^452 4\.2\.2 /);
  const again = await signIn(dovecot.imap, mailbox.address);
  await expect(again.append("INBOX", "Subject: Small\r\n\r\n")).rejects.toMatchObject({
    serverResponseCode: "OVERQUOTA",
  });
  await again.mailboxOpen("INBOX");
  await again.messageMove("1", "Trash");
  expect(await again.status("Trash", { messages: true })).toMatchObject({ messages: 1 });
  await again.logout();
});
