import { isAscii } from "node:buffer";

import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { and, eq, sql } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { expect, test, vi } from "vitest";

import { dkimKeys, messageRecipients, messages } from "#drizzle/schema/index.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { messagePumps } from "#server/testing/message-pump.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import { aSender, type Sender } from "#server/testing/queued-emails.ts";
import type { SinkSettings } from "#server/testing/smtp-sink.ts";

// Non-ASCII messages to servers with and without the extensions for them.

const { aSink, aCarrier } = outsideMail();
const { start } = messagePumps();

const EIGHT_BIT =
  "From: ann@here.test\r\nSubject: Hi\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrüße\r\n";
const UTF8_HEADER = EIGHT_BIT.replace("Hi", "Grüße")
  .replace("ann@", "Jürgen <ann@")
  .replace("test", "test>");
const SIGNED = `DKIM-Signature: v=1; d=else.test; s=x; b=x\r\n${EIGHT_BIT}`;

type Given = { content: string; settings: Partial<SinkSettings>; isOurs?: boolean };

async function send({ content, settings, isOurs = true }: Given) {
  await db().delete(messages);
  const sink = await aSink(settings);
  await start({ carrier: await aCarrier(sink) });
  const sender = await aSender();
  const { companyId, id: domainId, name } = sender;
  const id = await anAcceptedMessage({
    companyId,
    content,
    to: ["ann@there.test", "bob@there.test"],
    ...(isOurs && { sender: `ann@${name}`, signingDomainId: domainId }),
  });
  const isWaiting = and(eq(messageRecipients.messageId, id), sql`state = 'queued'`);
  wakeMessages(db());
  await vi.waitFor(
    // A report to the sender may stay queued, since its domain isn't in the DNS.
    async () => expect(await db().$count(messageRecipients, isWaiting)).toBe(0),
    { timeout: 30_000 },
  );
  const rows = await db()
    .select()
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, id));
  return { sender, arrived: sink.messages, rows };
}

async function signatures(raw: Buffer, sender: Sender): Promise<string[]> {
  const [key] = await db().select().from(dkimKeys).where(eq(dkimKeys.domainId, sender.id));
  const name = `${key!.selector}._domainkey.${sender.name}`;
  const { results } = await dkimVerify(raw, {
    resolver: (asked: string) => Promise.resolve(asked === name ? [[dkimRecord(key!)]] : []),
  });
  return results.map(({ status }) => status.result);
}

const BOTH = { eightBit: true, smtputf8: true };

test.each<[string, string, Partial<SinkSettings>, string]>([
  ["8-bit text, with 8BITMIME", EIGHT_BIT, { eightBit: true }, "BODY=8BITMIME"],
  ["UTF-8 in the header, with SMTPUTF8", UTF8_HEADER, BOTH, "BODY=8BITMIME SMTPUTF8"],
])("%s, is sent unchanged", async (_, content, settings, parameters) => {
  const { arrived } = await send({ content, settings });
  expect(arrived).toHaveLength(1);
  expect(arrived[0]!.parameters).toBe(parameters);
  expect(arrived[0]!.raw.toString()).toMatch(/^DKIM-Signature/);
  expect(arrived[0]!.raw.toString().endsWith(content)).toBe(true);
});

test.each<[string, string, Partial<SinkSettings>]>([
  ["8-bit text to a server without 8BITMIME", EIGHT_BIT, { eightBit: false }],
  ["8-bit text to a server without EHLO", EIGHT_BIT, { ehloRefused: true }],
  ["UTF-8 in the header to a server without SMTPUTF8", UTF8_HEADER, { eightBit: true }],
])("%s is converted before it is signed", async (_, content, settings) => {
  const { arrived, sender } = await send({ content, settings });
  expect(arrived).toHaveLength(1);
  expect(arrived[0]!.recipients).toEqual(["ann@there.test", "bob@there.test"]);
  expect(arrived[0]!.parameters).toBe("");
  expect(isAscii(arrived[0]!.raw)).toBe(true);
  expect(await signatures(arrived[0]!.raw, sender)).toEqual(["pass"]);
  const mail = await simpleParser(arrived[0]!.raw);
  expect([mail.subject, mail.text]).toEqual([content === UTF8_HEADER ? "Grüße" : "Hi", "Grüße\n"]);
});

test("an unsigned forward is converted, without our ARC seal", async () => {
  const content = `ARC-Seal: i=1; b=x\r\nARC-Message-Signature: i=1; b=x\r\n${EIGHT_BIT}`;
  const { arrived } = await send({ content, settings: { eightBit: false }, isOurs: false });
  expect((await simpleParser(arrived[0]!.raw)).text).toBe("Grüße\n");
  expect(arrived[0]!.raw.toString()).not.toContain("ARC-");
});

test("a signed forward bounces at a server without 8BITMIME, with the reason", async () => {
  const { arrived, rows } = await send({
    content: SIGNED,
    settings: { eightBit: false },
    isOurs: false,
  });
  expect(arrived).toEqual([]);
  for (const row of rows)
    expect(row).toMatchObject({
      state: "bounced",
      dsn: "5.6.3",
      reply: expect.stringMatching(/mx.there.test does not support 8BITMIME/) as string,
    });
});

test("a signed forward with UTF-8 in its header is sent unchanged", async () => {
  const content = SIGNED.replace("Hi", "Grüße");
  const { arrived } = await send({ content, settings: { eightBit: true }, isOurs: false });
  expect(arrived[0]!.raw.toString()).toBe(content);
});

test("a message that can't be converted bounces, with the reason", async () => {
  const content = UTF8_HEADER.replace("Subject", "To: jürgen@there.test\r\nSubject");
  const { arrived, rows } = await send({ content, settings: { eightBit: true } });
  expect(arrived).toEqual([]);
  expect(rows[0]).toMatchObject({
    state: "bounced",
    dsn: "5.6.9",
    reply: expect.stringMatching(/does not support SMTPUTF8/) as string,
  });
});
