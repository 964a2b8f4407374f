import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import {
  emailEvents,
  messages,
  quarantine,
  receivedContents,
  receivedEmails,
  suppressions,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { ParserThread } from "#server/core/shared/parser-thread.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { mxListeners } from "#server/testing/an-mx-listener.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";
import { aGroup, anInboundAddress, aWebhook } from "#server/testing/factories.ts";
import { aDeliveredEmail } from "#server/testing/delivered-emails.ts";
import { anArfReport } from "#server/testing/feedback.ts";
import { aQueuedEmail, aSender, type Sender } from "#server/testing/queued-emails.ts";
import { KEY_RECORD, outsideDns, signed } from "#server/testing/signed-mail.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";

// Mail from other servers to inbound addresses.

const anMxListener = mxListeners();
const { resolver } = await outsideDns({
  "there.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
  "s1._domainkey.there.test": { TXT: [KEY_RECORD] },
});

let domain: Sender;
let rspamd: FakeRspamd;

async function set(name: string, value: string) {
  await changeSetting(db(), name, value);
  invalidateSettings();
}

beforeAll(async () => {
  rspamd = await aRspamd();
  await set("rspamd_url", rspamd.url);
});
afterAll(async () => {
  await set("rspamd_url", "off");
  await rspamd.stop();
});
beforeEach(async () => {
  rspamd.answer = { score: 0, symbols: {} };
  domain = await aSender();
});

const TEXT = [
  "From: Ann <ann@there.test>",
  "Subject: Hello",
  "Message-ID: <1@there.test>",
  "Authentication-Results: mail.here.test; dmarc=pass",
  "X-Posthouse-Junk: yes",
  "",
  "Hi",
  "",
].join("\r\n");

/** Hands in a message to each recipient that has the reply 250. */
async function handIn(recipients: [to: string, reply: string][], reply: string, message = TEXT) {
  const { port } = await anMxListener({ resolver });
  await smtpDialog(
    port,
    [
      "S: 220",
      "C: EHLO mx.there.test",
      "S: 250",
      "C: MAIL FROM:<ann@there.test>",
      "S: 250",
      ...recipients.flatMap(([to, answer]) => [`C: RCPT TO:<${to}>`, `S: ${answer}`]),
      ...(reply === "" ? [] : ["C: DATA", "S: 354"]),
      ...(reply === ""
        ? []
        : message
            .trimEnd()
            .split("\r\n")
            .map((line) => `C: ${line}`)),
      ...(reply === "" ? [] : ["C: .", `S: ${reply}`]),
    ].join("\n"),
  );
}

const received = () =>
  db()
    .select()
    .from(receivedEmails)
    .where(eq(receivedEmails.companyId, domain.companyId))
    .orderBy(asc(receivedEmails.createdAt));

async function contentOf(emailId: string): Promise<string> {
  const ofEmail = eq(receivedContents.emailId, emailId);
  const [stored] = await db().select().from(receivedContents).where(ofEmail);
  return stored!.content.toString("latin1");
}

test("keeps local parts as the sender wrote them", async () => {
  const exact = await anInboundAddress(domain);
  await anInboundAddress(domain, `*@${domain.name}`);
  for (const to of [exact.replace("@", "+AbC123xYz-_Q@"), `Reply+AbC@${domain.name}`]) {
    await handIn([[to, "250"]], "250");
    const email = (await received()).at(-1)!;
    expect(email.receivedFor).toEqual([to]);
    expect(await contentOf(email.id)).toContain(`for <${to}>`);
  }
});

test("stores mail to an exact address, with tags, and to a catch-all before replying 250, once", async () => {
  const exact = await anInboundAddress(domain);
  await anInboundAddress(domain, `*@${domain.name}`);
  const group = (await aGroup(domain, { members: ["bob@elsewhere.test"] })).address;
  const tagged = exact.replace("@", "+7@");
  const other = `anything@${domain.name}`;
  for (let round = 0; round < 2; round++)
    await handIn(
      [exact, tagged, other, group, `postmaster@${domain.name}`].map((to) => [to, "250"]),
      "250",
    );
  const [email, ...more] = await received();
  expect(more).toEqual([]);
  expect(email).toMatchObject({
    receivedFor: [exact, tagged, other].toSorted(),
    sender: "ann@there.test",
    headerFrom: "Ann <ann@there.test>",
    subject: "Hello",
    // What the message says about itself is removed.
    spf: "pass",
    dkim: "none",
    dmarc: "none",
    isSpam: false,
    spamScore: 0,
  });
  expect(await contentOf(email!.id)).toMatch(/^Received: from [^]*\r\n\r\nHi\r\n$/);
});

test("the same alert without Message-ID and Date is a new email each time", async () => {
  const address = await anInboundAddress(domain);
  const group = (await aGroup(domain, { members: ["bob@elsewhere.test"] })).address;
  const alert = "From: Ann <ann@there.test>\r\nSubject: Motion detected\r\n\r\nHi\r\n";
  for (let round = 0; round < 3; round++)
    await handIn(
      [address, group].map((to) => [to, "250"]),
      "250",
      alert,
    );
  expect(await received()).toHaveLength(3);
  const copies = await db().$count(messages, eq(messages.companyId, domain.companyId));
  expect(copies).toBe(3);
});

test.each(["From ann@there.test Sat Nov 28 22:00:00 2026", ">From ann  Sat Nov 28", ">>From x"])(
  "drops the line of an mbox file at the top: %s",
  async (line) => {
    const address = await anInboundAddress(domain);
    const message = await signed("From: Ann <ann@there.test>\r\n\r\nHi\r\n", "there.test");
    await handIn([[address, "250"]], "250", `${line}\r\n${message}`);
    const [email] = await received();
    expect(email).toMatchObject({ dkim: "pass", headerFrom: "Ann <ann@there.test>" });
    expect(await contentOf(email!.id)).not.toContain(line);
  },
);

test.each([
  ["two lines of an mbox file", "From a b\r\nFrom c d\r\n", /\r\n\r\nFrom c d\r\nFrom: Ann/],
  ["a field with a space", "From : bob@there.test\r\n", /\r\nFrom : bob/],
])("never drops more than that: %s", async (_, start, expected) => {
  const address = await anInboundAddress(domain);
  const rest = start.includes(":") ? TEXT.replace(/^From.*\r\n/, "") : TEXT;
  await handIn([[address, "250"]], "250", start + rest);
  expect(await contentOf((await received())[0]!.id)).toMatch(expected);
});

test("replies 451 if verifying the signatures takes too long", async () => {
  const message = await signed(TEXT, "there.test");
  const parse = vi.spyOn(ParserThread.prototype, "parse").mockResolvedValue(null);
  try {
    for (const to of [await anInboundAddress(domain), `postmaster@${domain.name}`])
      await handIn([[to, "250"]], "451 4.7.1 Verifying the message took too long", message);
  } finally {
    parse.mockRestore();
  }
  expect(await received()).toEqual([]);
});

test("unknown addresses are rejected without a catch-all, and that of another company doesn't count", async () => {
  await anInboundAddress(await aSender(), `*@${domain.name}`);
  await handIn([[`anything@${domain.name}`, "550 5.1.1"]], "");
});

test("a full storage or too many emails ask the sender to retry, and 250 for others queues it", async () => {
  const address = await anInboundAddress(domain);
  await handIn([[address, "250"]], "250");
  await set("received_per_minute", "1");
  await handIn([[address, "451 4.7.1"]], "");
  await set("received_per_minute", "600");
  await db()
    .update(receivedEmails)
    .set({ size: 1024 ** 3 })
    .where(eq(receivedEmails.companyId, domain.companyId));
  await handIn([[address, "452 4.2.2"]], "");
  expect(await received()).toHaveLength(1);
});

test("delivers spam with its verdict, rejects the worst, and quarantines viruses", async () => {
  const address = await anInboundAddress(domain);
  rspamd.answer = { score: 11, symbols: { BAYES_SPAM: 11 } };
  await handIn([[address, "250"]], "250");
  rspamd.answer = { score: 50, symbols: { GTUBE: 50 } };
  await handIn([[address, "250"]], "550 5.7.1");
  rspamd.answer = { score: 1, symbols: { CLAM_VIRUS: 1 } };
  await handIn([[address, "250"]], "250", TEXT.replace("Hi", "Virus"));
  expect(await received()).toMatchObject([{ isSpam: true, spamScore: 11 }]);
  const held = await db()
    .select()
    .from(quarantine)
    .where(eq(quarantine.companyId, domain.companyId));
  expect(held).toMatchObject([{ reason: "virus", recipients: [address] }]);
});

test("records a reply that a group receives, of its company's email only", async () => {
  const emailId = await aQueuedEmail(domain, "ben@example.org");
  const other = await aSender();
  const group = (await aGroup(domain, { members: ["bob@elsewhere.test"] })).address;
  const theirs = (await aGroup(other, { members: ["bob@elsewhere.test"] })).address;
  const reply = `In-Reply-To: <${emailId}@${domain.name}>\r\n${TEXT}`;
  const history = async () =>
    (await db().select().from(emailEvents).where(eq(emailEvents.emailId, emailId))).filter(
      ({ type }) => type === "replied",
    );
  await handIn([[theirs, "250"]], "250", reply);
  expect(await history()).toEqual([]);
  for (let round = 0; round < 2; round++) await handIn([[group, "250"]], "250", reply);
  expect(await history()).toMatchObject([
    { recipient: "ann@there.test", replyMessageId: "<1@there.test>" },
  ]);
});

test("an email.replied event names the address as the sender wrote it", async () => {
  const emailId = await aQueuedEmail(domain, "ben@example.org");
  const webhook = await aWebhook(domain.companyId);
  const { address } = await aGroup(domain, { members: ["bob@elsewhere.test"] });
  const reply = `In-Reply-To: <${emailId}@${domain.name}>\r\n${TEXT}`;
  const to = address.replace("@", "+AbC@");
  await handIn([[to, "250"]], "250", reply);
  const [event] = await db()
    .select({ payload: webhookEvents.payload })
    .from(webhookEvents)
    .where(eq(webhookEvents.webhookId, webhook.id));
  expect(event!.payload).toMatchObject({ type: "email.replied", data: { reply: { to: [to] } } });
});

test.each([
  ["there.test", 1],
  ["elsewhere.test", 0],
])("a complaint from %s suppresses %i addresses: SPF passes for there.test", async (at, count) => {
  const id = await aDeliveredEmail(domain, "ann@there.test");
  const mailFrom = envelopeSender(id, "mail.here.test");
  const report = anArfReport({ mailFrom, from: `feedback@${at}` }).toString();
  await handIn([["reports@mail.here.test", "250"]], "250", report);
  const ofCompany = eq(suppressions.companyId, domain.companyId);
  expect(await db().$count(suppressions, ofCompany)).toBe(count);
});
