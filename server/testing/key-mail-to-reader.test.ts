import { and, eq, sql } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { createTransport } from "nodemailer";
import { beforeEach, expect, test, vi } from "vitest";

import { domains, emailAttachments, emailBodies, emails, outbox } from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { clearBodies } from "#server/core/sending/emails/delete-old-emails.ts";
import { composeSource } from "#server/core/sending/emails/preview-email.ts";
import { resendEmail } from "#server/core/sending/emails/send-emails.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { db } from "#server/db/pool.ts";

import { aMailboxSender, submissionListeners } from "./a-submission-listener.ts";
import { call } from "./call.ts";
import { aContext, aDomain, anAdmin, anApiKey } from "./factories.ts";
import { messagePumps } from "./message-pump.ts";
import { outsideMail } from "./outside-mail.ts";
import type { SinkSettings } from "./smtp-sink.ts";
import { asAdmin } from "./team.ts";

// End to end: from a program that sends over SMTP with an API key to the recipient's server.

const { aSink, aCarrier, endWith } = outsideMail();
const pumps = messagePumps();
const aListener = submissionListeners();

async function aProgram(settings: Partial<SinkSettings> = {}, user = "resend") {
  const sink = await aSink(settings);
  await pumps.start({ carrier: await aCarrier(sink) });
  const { companyId, domain } = await aMailboxSender();
  const { token } = await anApiKey(companyId);
  const { port } = await aListener({ isImplicitTls: true });
  const from = `post@${domain.name}`;
  const sendWith = async (pass: string, raw: string | Buffer, ...recipients: string[]) => {
    const app = createTransport({
      host: "127.0.0.1",
      port,
      secure: true,
      auth: { user, pass },
      tls: { rejectUnauthorized: false },
    });
    const { response } = await app.sendMail({ envelope: { from, to: recipients }, raw });
    return response.split(" ").at(-1)!;
  };
  return {
    sink,
    companyId,
    domain,
    token,
    from,
    /** @returns the email's id, or the server's error */
    send: (raw: string | Buffer, ...recipients: string[]) => sendWith(token, raw, ...recipients),
    sendWith,
    arrived: () =>
      vi.waitFor(async () => expect(await db().$count(outbox)).toBe(0), { timeout: 40_000 }),
  };
}

beforeEach(async () => {
  await db().delete(emails);
});

const [ANN, BOB] = ["ann@there.test", "bob@there.test"];

test("delivers a message as written, to the envelope's recipients", async () => {
  const { sink, from, send, arrived, token } = await aProgram();
  const header = [
    `Sender: robot@${from.split("@")[1]!}`,
    `From: =?utf-8?q?M=C3=BCller?= <${from}>`,
    "To: everybody@lists.test, Ann <Ann@there.test>",
    "Cc: somebody@else.test",
    "Date: Sat, 21 Nov 2026 02:02:03 +0100",
    "Message-ID: <own@program.test>",
    "Subject: Invitation",
    "Auto-Submitted: auto-generated",
    "Precedence: bulk",
    "Importance: high",
    "Feedback-ID: 1:shop:x",
    "Organization: Shop",
    "X-Odd:a\r\n\tb",
    'MIME-Version: 1.0\r\nContent-Type: multipart/alternative;\r\n boundary="b 1"',
  ];
  const body = [
    "preamble",
    "--b 1",
    "Content-Type: text/plain; format=flowed",
    "",
    "Hi  ",
    "",
    "--b 1",
    "Content-Type: text/calendar; method=REQUEST",
    "",
    "BEGIN:VCALENDAR",
    "",
    "--b 1--",
    "epilogue",
    "",
  ].join("\r\n");
  const id = await send(
    [...header, "Bcc: bob@there.test", "X-Posthouse-Junk: yes", "", body].join("\r\n"),
    ANN,
    BOB,
  );
  await arrived();

  expect(sink.messages.flatMap(({ recipients }) => recipients)).toEqual([ANN, BOB]);
  const raw = sink.messages[0]!.raw.toString();
  expect(raw).toMatch(/^DKIM-Signature: /);
  expect(raw.slice(raw.indexOf("Sender: "))).toBe(`${header.join("\r\n")}\r\n\r\n${body}`);
  const { body: email } = await call(emailsApi.get, { key: token, params: { id } });
  expect(email).toMatchObject({
    message_id: "<own@program.test>",
    from: `Müller <${from}>`,
    subject: "Invitation",
    to: [ANN],
    cc: [],
    bcc: [BOB],
    html: null,
    text: "Hi  ",
  });
  const [stored] = await db().select().from(emailBodies).where(eq(emailBodies.emailId, id));
  expect(stored!.headers).toMatchObject({ "Auto-Submitted": "auto-generated", "X-Odd": "a\tb" });
  const files = await db().select().from(emailAttachments).where(eq(emailAttachments.emailId, id));
  expect(files.map(({ contentType }) => contentType)).toEqual(["text/calendar"]);
});

test("adds only missing Date and Message-ID fields", async () => {
  const { sink, from, send, arrived, token, domain } = await aProgram();
  const id = await send(`From: ${from}\r\n\r\n`, ANN);
  await arrived();

  const raw = sink.messages[0]!.raw.toString();
  expect(raw).toMatch(
    new RegExp(`\r\nDate: [^\r]+\r\nMessage-ID: <${id}@${domain.name}>\r\nFrom: ${from}\r\n\r\n$`),
  );
  const { body } = await call(emailsApi.get, { key: token, params: { id } });
  expect(body).toMatchObject({
    message_id: `<${id}@${domain.name}>`,
    subject: "",
    to: [ANN],
    text: null,
  });
});

test("tracks links if tracking is on, and changes nothing else", async () => {
  const { sink, from, send, arrived, domain } = await aProgram();
  const values = { openTracking: true, clickTracking: true };
  await db().update(domains).set(values).where(eq(domains.id, domain.id));
  const html = '<a href="https://shop.test/?a=1">Gr=FC=DFe</a>';
  const [head, signed] = [
    [
      `From: ${from}`,
      "Date: x",
      "Message-ID: <a@b>",
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="outer"',
      "",
      "--outer",
      "Content-Type: text/html; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "X-Part: 1",
      "",
      "",
    ].join("\r\n"),
    [
      "",
      "--outer",
      'Content-Type: multipart/signed; boundary="inner"',
      "",
      "--inner",
      "Content-Type: text/html",
      "",
      '<a href="https://shop.test">x</a>',
      "--inner--",
      "--outer",
      "Content-Type: text/html",
      "Content-Disposition: attachment",
      "",
      '<a href="https://shop.test">x</a>',
      "--outer--",
      "",
    ].join("\r\n"),
  ];
  const id = await send(head + html + signed, ANN);
  await arrived();

  const raw = sink.messages[0]!.raw.toString();
  expect(raw.endsWith(signed)).toBe(true);
  expect(raw).toContain("\r\n--outer\r\nX-Part: 1\r\n");
  const mail = await simpleParser(raw, { skipHtmlToText: true });
  expect(mail.html).toMatch(/<a href="https:\/\/mail.here.test\/t\/c\/[^"]+">Grüße<\/a><img src/);
  const source = await composeSource(aContext(domain.companyId), id);
  expect(source.toString().endsWith(signed)).toBe(true);
  expect((await simpleParser(source)).html).toContain("/t/c/");
});

test("adds an unsubscribe link if the domain asks for one, and changes nothing else", async () => {
  const { sink, from, send, arrived, domain } = await aProgram();
  await db().update(domains).set({ oneClickUnsubscribe: true }).where(eq(domains.id, domain.id));
  const head = `From: ${from}\r\nDate: 4 Mar 2026 10:15 GMT\r\nMessage-ID: <a@b>\r\n`;
  const id = await send(`${head}\r\nHi\r\n`, ANN);
  await arrived();
  await send(`${head}\r\nHi\r\n`, ANN, BOB);
  await arrived();

  const shown = (raw: Buffer) =>
    raw
      .toString()
      .slice(raw.indexOf("From: "))
      .replace(/<[^>]+\/t\/u\/[\w-]+>/, "…");
  const [toOne, toBoth] = sink.messages.map(({ raw }) => shown(raw));
  expect(toOne).toBe(
    `${head}List-Unsubscribe: …\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\r\nHi\r\n`,
  );
  expect(toBoth).toBe(`${head}\r\nHi\r\n`);
  expect(shown(await composeSource(aContext(domain.companyId), id))).toBe(toOne);
});

test("a Sender can be at an unverified domain of the company with a test key only", async () => {
  const { companyId, from, send, sendWith } = await aProgram();
  const { name } = await aDomain(companyId, { status: "pending", ownershipProvenAt: null });
  const { token } = await anApiKey(companyId, { permission: "test" });
  const message = (at: string) => `From: ${from}\r\nSender: robot@${at}\r\n\r\nHi\r\n`;
  const id = await sendWith(token, message(name), ANN);
  expect(await db().$count(emails, and(eq(emails.id, id), emails.isTest))).toBe(1);
  await expect(send(message(name), ANN)).rejects.toThrow(/550 5\.7\.1 .*verified domain/);
  const { domain: other } = await aMailboxSender();
  await expect(sendWith(token, message(other.name), ANN)).rejects.toThrow(
    /550 5\.7\.1 .*isn't on one of the company's domains/,
  );
});

test("a Sender at another company's domain is rejected", async () => {
  const { from, send } = await aProgram();
  const { domain: other } = await aMailboxSender();
  for (const domain of [other.name, "bank.test"])
    await expect(
      send(`From: ${from}\r\nSender: boss@${domain}\r\n\r\nHi\r\n`, ANN),
    ).rejects.toThrow(
      /550 5\.7\.1 The Sender address boss@.* isn't on one of the company's verified domains/,
    );
});

test("a repeated Resend-Idempotency-Key sends nothing; a different message with it is rejected", async () => {
  endWith(await registerProcess(db(), "web"));
  const { sink, from, send, arrived, companyId } = await aProgram();
  const mail = (boundary: string, text: string) =>
    `From: ${from}\r\nMessage-ID: <${boundary}@x.test>\r\nresend-idempotency-key: order 1\r\n` +
    `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\n` +
    `--${boundary}\r\n\r\n${text}\r\n--${boundary}--\r\n`;
  const both = await Promise.all(
    ["one", "two"].map(async (boundary) => {
      const repeat = () => send(mail(boundary, "Hi"), ANN);
      return repeat().catch((error: unknown) => {
        expect(String(error)).toMatch(/451 4\.3\.0 .*still running/);
        return vi.waitFor(repeat);
      });
    }),
  );
  await arrived();

  expect(both[0]).toBe(both[1]);
  expect(await send(mail("three", "Hi"), ANN)).toBe(both[0]);
  await expect(send(mail("one", "Other"), ANN)).rejects.toThrow(/554 5\.6\.0 .*different body/);
  await expect(send(mail("one", "Hi"), BOB)).rejects.toThrow(/554 5\.6\.0 .*different body/);
  expect(await db().$count(emails, eq(emails.companyId, companyId))).toBe(1);
  expect(sink.messages).toHaveLength(1);
  expect(sink.messages[0]!.raw.toString().toLowerCase()).not.toContain("idempotency");
  const long = mail("x", "y").replace("order 1", "x".repeat(257));
  await expect(send(long, ANN)).rejects.toThrow(/554 5\.6\.0 Resend-Idempotency-Key/);
});

test("compares the bytes of bodies that can't be parsed when Resend-Idempotency-Key repeats", async () => {
  endWith(await registerProcess(db(), "web"));
  const { from, send } = await aProgram();
  const unparseable = (text: string) =>
    `From: ${from}\r\nResend-Idempotency-Key: order 2\r\nMIME-Version: 1.0\r\n` +
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n` +
    `--b\r\n\r\n${text}\r\n`.repeat(150) +
    "--b--\r\n";
  const id = await send(unparseable("Hi"), ANN);

  expect(await send(unparseable("Hi"), ANN)).toBe(id);
  await expect(send(unparseable("Bye"), ANN)).rejects.toThrow(/554 5\.6\.0 .*different body/);
});

test("a message can be resent as a new one, and is deleted with its body after three days", async () => {
  const { sink, from, send, arrived, companyId } = await aProgram();
  const id = await send(
    `From: ${from}\r\nTo: all@lists.test\r\nMessage-ID: <a@b>\r\nX-A: 1\r\n\r\nHi\r\n`,
    ANN,
  );
  await arrived();
  const admin = asAdmin(companyId, await anAdmin(companyId));
  const again = await resendEmail(admin, id);
  await arrived();

  const raw = sink.messages[1]!.raw.toString();
  expect(sink.messages[1]!.recipients).toEqual([ANN]);
  expect(raw).toContain("To: all@lists.test\r\nX-A: 1\r\n");
  expect(raw).not.toContain("<a@b>");
  const [email] = await db().select().from(emails).where(eq(emails.id, again.id));
  expect(raw).toContain(`Message-ID: ${email!.messageId!}\r\n`);
  expect(await auditLedger(db())).toMatchObject({ unaccounted: 0 });

  const old = sql`clock_timestamp() - interval '73 hours'`;
  await db().update(emails).set({ sentAt: old }).where(eq(emails.companyId, companyId));
  await db().update(emailBodies).set({ createdAt: old });
  await clearBodies(db(), 3);
  await expect(composeSource(aContext(companyId), id)).rejects.toThrow(/no longer stored/);
});

test.each(["posthouse", "resend", "apikey", "ann@here.test"])(
  "with an API key as the password, user name %j is accepted",
  async (user) => {
    const { from, send } = await aProgram({}, user);
    expect(await send(`From: ${from}\r\n\r\nHi`, ANN)).toMatch(/^[0-9a-f-]{36}$/);
  },
);
