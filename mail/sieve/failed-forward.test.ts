import { sql } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { messageRecipients, messages } from "#drizzle/schema/index.ts";
import { resumeForward, saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { listSuspendedForwards } from "#server/core/mailboxes/mailbox-rules/suspended-forwards.ts";
import { SECURITY_NOTICE_FIELD } from "#server/core/platform/notices/notify-admins.ts";
import { FAILURES_MAX } from "#server/core/sending/messages/messages.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { createContext } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, allowForwarding, aMailbox } from "#server/testing/factories.ts";
import { putScript, signIn } from "#server/testing/mail-app.ts";
import { messagePumps } from "#server/testing/message-pump.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";

// End to end: an external message is delivered, forwarded by the mailbox's rules, rejected, and returned.

const { aSink, aCarrier } = outsideMail();
const { start } = messagePumps();

/** The sink rejects this recipient. */
const DEAD = "bounce@there.test";

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;
let sink: Awaited<ReturnType<typeof aSink>>;
beforeAll(async () => {
  dovecot = await aDovecot();
  domain = await aDomain((await aCompany()).id);
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  await db().delete(messages);
  mailbox = (await aMailbox(domain)).address;
  await allowForwarding(domain.companyId);
  sink = await aSink();
  await start({ carrier: await aCarrier(sink), dataFolder: dovecot.dataFolder });
});

const ctx = () => createContext(db(), domain.companyId, { kind: "mailbox", address: mailbox });
const forwardTo = (...forwardTo: string[]) =>
  saveRules(ctx(), mailbox, { forwardTo, keepCopy: false });
const suspendedForwards = async () =>
  (await listSuspendedForwards(ctx(), mailbox)).map(({ target }) => target);

const settled = (count: number) =>
  vi.waitFor(
    async () => {
      expect(await db().$count(messageRecipients, sql`state <> 'queued'`)).toBe(count);
      expect(await db().$count(messageRecipients, sql`state = 'queued'`)).toBe(0);
    },
    { timeout: 30_000 },
  );

async function inbox() {
  const app = await signIn(dovecot.imap, mailbox);
  const { exists } = await app.mailboxOpen("INBOX");
  const mails = exists === 0 ? [] : await app.fetchAll("1:*", { source: true });
  await app.logout();
  return Promise.all(
    mails.map(async ({ source }) => ({
      source: source!.toString("latin1"),
      mail: await simpleParser(source!, { skipHtmlToText: true }),
    })),
  );
}

const LETTER = [
  "From: Stranger <stranger@example.test>",
  "Subject: Offer",
  "Message-ID: <1@example.test>",
  "",
  "Please answer by Friday.",
].join("\r\n");

test("a bounced forward that kept no copy is returned to the mailbox whole", async () => {
  await forwardTo(DEAD);
  const body = `${"x".repeat(70)}\r\n`.repeat(6_000);
  const big = `${LETTER}\r\n${body}The end.`;
  expect(await deliver(dovecot.lmtpSocket, mailbox, big)).toMatch(/^250/);
  await settled(2);

  const [report, ...others] = await inbox();
  expect(others).toEqual([]);
  expect(report!.mail.subject).toBe(`Not delivered: ${DEAD}`);
  expect(report!.mail.text).toContain("The original message is attached.");
  expect(report!.source).toContain("Content-Type: message/rfc822");
  expect(report!.source).toContain(`${body}The end.`);
  expect(await auditMail(db())).toMatchObject({ bounced: 1, delivered: 1, unaccounted: 0 });
});

test("a notice about sign-in or forwarding is forwarded, and a copy stays in the inbox", async () => {
  await forwardTo("ben@there.test");
  const notice = `${SECURITY_NOTICE_FIELD}: yes\r\n${LETTER}`;
  expect(await deliver(dovecot.lmtpSocket, mailbox, notice)).toMatch(/^250/);
  await settled(1);

  expect((await inbox()).map(({ mail }) => mail.subject)).toEqual(["Offer"]);
  expect(sink.messages.map(({ recipients }) => recipients)).toEqual([["ben@there.test"]]);
});

test("a forward by the mailbox user's own script is returned too", async () => {
  await putScript(dovecot.sieve, mailbox, `redirect "${DEAD}";\r\n`);
  expect(await deliver(dovecot.lmtpSocket, mailbox, LETTER)).toMatch(/^250/);
  await settled(2);

  const [report] = await inbox();
  expect(report!.source).toContain("Please answer by Friday.");
});

test("a forwarded failure report that bounces is returned as well", async () => {
  await forwardTo(DEAD);
  expect(await deliver(dovecot.lmtpSocket, mailbox, LETTER, "")).toMatch(/^250/);
  await settled(2);

  const [report] = await inbox();
  expect(report!.source).toContain("Please answer by Friday.");
});

test("forwarding to an address that keeps failing is suspended until the user resumes it", async () => {
  await forwardTo(DEAD);
  const arrive = (count: number) =>
    deliver(dovecot.lmtpSocket, mailbox, LETTER.replace("<1@", `<suspended-${count}@`));
  for (let count = 1; count <= FAILURES_MAX; count++) {
    expect(await arrive(count)).toMatch(/^250/);
    await settled(2 * count);
  }
  expect(await suspendedForwards()).toEqual([DEAD]);
  const told = (await inbox()).filter(({ mail }) =>
    mail.subject!.startsWith("Forwarding suspended"),
  );
  expect(told).toHaveLength(1);
  expect(told[0]!.mail.text).toMatch(/Resume\s+forwarding\s+at\s+http\S+\/account\/forwarding/);
  expect(told[0]!.source).toContain("Please answer by Friday.");

  expect(await arrive(6)).toMatch(/^250/);
  expect((await inbox()).filter(({ mail }) => mail.subject === "Offer")).toHaveLength(1);
  expect(await db().$count(messages, sql`origin = 'forward'`)).toBe(FAILURES_MAX);

  await resumeForward(ctx(), mailbox, DEAD.toUpperCase());
  expect(await suspendedForwards()).toEqual([]);
  expect(await arrive(7)).toMatch(/^250/);
  await settled(2 * FAILURES_MAX + 2);
  expect(await suspendedForwards()).toEqual([]);
  expect(await inbox()).toHaveLength(FAILURES_MAX + 2);
});

test("other reports are forwarded; only reports about forwards stay", async () => {
  await forwardTo("ben@there.test");
  const to = [DEAD];
  await anAcceptedMessage({ companyId: domain.companyId, sender: mailbox, to });
  await db().execute(sql`notify messages`);
  await settled(3);

  expect(await inbox()).toEqual([]);
  expect(sink.messages.map(({ recipients }) => recipients)).toEqual([["ben@there.test"]]);
});
