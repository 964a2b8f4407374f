import { eq, sql } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { mailboxes, messageRecipients } from "#drizzle/schema/index.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { messagePumps } from "#server/testing/message-pump.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";

// Covers the whole path of stored messages: from the queue to mailboxes in a real Dovecot and to an
// external server, and back as bounces.

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();
// Both log, which is shown when a test fails.
const start: typeof pumps.start = (given) =>
  pumps.start({ log: createLogger("worker"), dataFolder: dovecot.dataFolder, ...given });

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
beforeAll(async () => {
  dovecot = await aDovecot({ log: createLogger("dovecot") });
  domain = await aDomain((await aCompany()).id);
});
afterAll(() => dovecot.stop());

const settled = () =>
  vi.waitFor(
    async () => expect(await db().$count(messageRecipients, sql`state = 'queued'`)).toBe(0),
    { timeout: 30_000 },
  );

async function inbox(address: string) {
  const app = await signIn(dovecot.imap, address);
  await app.mailboxOpen("INBOX");
  const mails = await app.fetchAll("1:*", { source: true });
  await app.logout();
  const options = { skipHtmlToText: true, keepDeliveryStatus: true };
  return Promise.all(mails.map(({ source }) => simpleParser(source!, options)));
}
const subjects = async (address: string) =>
  (await inbox(address)).map(({ subject }) => subject).toSorted();

test("a mailbox user's message reaches mailboxes, a group and external recipients, and failures are returned", async () => {
  const sink = await aSink();
  const [ann, bob, cay] = [await aMailbox(domain), await aMailbox(domain), await aMailbox(domain)];
  const alias = await anAlias(domain, bob.address);
  const { address: group } = await aGroup(domain, { members: [cay.address, "m@there.test"] });
  await start({ carrier: await aCarrier(sink) });
  const header = `From: Ann <${ann.address}>\r\nTo: all\r\nSubject: Figures\r\nMessage-ID: <f@x>\r\n`;
  await anAcceptedMessage({
    companyId: domain.companyId,
    sender: ann.address,
    signingDomainId: domain.id,
    content: `${header}\r\nSee here.\r\n`,
    subject: "Figures",
    messageId: "<f@x>",
    to: [alias, group, "dan@there.test", "bounce@there.test", bob.address.replace("@", "+x@")],
  });
  wakeMessages(db());
  await settled();

  expect(await subjects(bob.address)).toEqual(["Figures"]);
  expect(await subjects(cay.address)).toEqual(["Figures"]);
  expect(
    sink.messages.map(({ from, recipients }) => [from.replace(/\+.*@/, "+…@"), recipients]),
  ).toEqual(
    expect.arrayContaining([
      [ann.address, ["dan@there.test"]],
      ["bounce+…@mail.here.test", ["m@there.test"]],
    ]),
  );
  const [report, ...others] = await inbox(ann.address);
  expect(others).toEqual([]);
  expect(report!.subject).toBe("Not delivered: bounce@there.test");
  expect(report!.references).toBe("<f@x>");
  expect(report!.headers.get("return-path")).toMatchObject({ value: [{ address: "" }] });
  const [status] = report!.attachments;
  expect(status!.content.toString()).toContain(
    "Final-Recipient: rfc822; bounce@there.test\r\nAction: failed\r\n",
  );
  expect(status!.content.toString()).toContain("Remote-MTA: dns; mx.there.test\r\n");
  expect(await auditMail(db())).toMatchObject({ bounced: 1, queued: 0, unaccounted: 0 });
});

test("delivers replies and bounces to senders with dots anywhere or quotes", async () => {
  const sink = await aSink();
  const bob = await aMailbox(domain);
  await start({ carrier: await aCarrier(sink) });
  const people = ["A..b@there.test", ".a@there.test", "a.@there.test", '"a,b"@there.test'];
  const { companyId } = domain;
  await anAcceptedMessage({ companyId, sender: bob.address, to: people });
  for (const sender of people) {
    const content = `From: ${sender}\r\nTo: ${bob.address}\r\nSubject: ${sender}\r\n\r\nHi\r\n`;
    const gone = "bounce@there.test";
    await anAcceptedMessage({ companyId, sender, content, to: [bob.address, gone] });
  }
  wakeMessages(db());
  await settled();

  expect(await subjects(bob.address)).toEqual(people.toSorted());
  const sent = sink.messages.map(({ from, recipients }) => [from, recipients.toSorted()]);
  expect(sent).toContainEqual([bob.address, people.toSorted()]);
  for (const sender of people) expect(sent).toContainEqual(["", [sender]]);
});

test("a message for a full mailbox is deferred, and arrives once there is room", async () => {
  const [ann, bob] = [await aMailbox(domain), await aMailbox(domain, { quotaMb: 1 })];
  await start({ carrier: await aCarrier(await aSink()) });
  const given = { companyId: domain.companyId, sender: ann.address, to: [bob.address] };
  const body = `${"x".repeat(70)}\r\n`.repeat(20_000);
  await anAcceptedMessage({ ...given, content: `Subject: Big\r\n\r\n${body}` });
  wakeMessages(db());
  const row = { recipient: bob.address };
  await vi.waitFor(
    async () =>
      expect(await db().select().from(messageRecipients)).toContainEqual(
        expect.objectContaining({ ...row, state: "queued", attempt: 1, dsn: "4.2.2" }),
      ),
    { timeout: 30_000 },
  );
  expect(await db().$count(messageRecipients, eq(messageRecipients.recipient, ann.address))).toBe(
    0,
  );

  await db().update(mailboxes).set({ quotaMb: 10 }).where(eq(mailboxes.address, bob.address));
  await db()
    .update(messageRecipients)
    .set({ nextAttemptAt: sql`now()` })
    .where(eq(messageRecipients.recipient, bob.address));
  wakeMessages(db());
  await settled();
  expect(await subjects(bob.address)).toEqual(["Big"]);
});

test("a sender who requests a success report gets one", async () => {
  const [ann, bob] = [await aMailbox(domain), await aMailbox(domain)];
  await start({ carrier: await aCarrier(await aSink()) });
  const to = [{ address: bob.address, notify: ["success", "failure"] }];
  await anAcceptedMessage({ companyId: domain.companyId, sender: ann.address, to });
  wakeMessages(db());
  await settled();

  const [report, ...others] = await inbox(ann.address);
  expect(others).toEqual([]);
  expect(report!.subject).toBe(`Delivered: ${bob.address}`);
  expect(report!.text).toContain("It was delivered to the mailbox.");
});

test("a server without SMTPUTF8 gets no non-ASCII address, and the sender gets the reason", async () => {
  const ann = await aMailbox(domain);
  const sink = await aSink({ eightBit: false });
  await start({ carrier: await aCarrier(sink) });
  const to = ["jürgen@there.test", "dan@there.test"];
  const content = "Subject: Hi\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrüße\r\n";
  await anAcceptedMessage({ companyId: domain.companyId, sender: ann.address, content, to });
  wakeMessages(db());
  await settled();

  expect(sink.messages.map(({ recipients }) => recipients)).toEqual([["dan@there.test"]]);
  const [report] = await inbox(ann.address);
  expect(report!.text).toContain("does not support addresses with non-ASCII");
});
