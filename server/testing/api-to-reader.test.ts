import { eq } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { pino } from "pino";
import { beforeAll, expect, test, vi } from "vitest";

import { domainFindings, domains, outbox } from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { db, pool } from "#server/db/pool.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { composeSource } from "#server/core/sending/emails/preview-email.ts";
import { signMessage } from "#worker/delivery/dkim.ts";
import { emailSource } from "#worker/pump/email-source.ts";
import type { PumpOptions } from "#worker/pump/source.ts";
import { Pump } from "#worker/pump/pump.ts";

import { anApiSender, withoutRates } from "./api-sender.ts";
import { call } from "./call.ts";
import { aContext } from "./factories.ts";
import { outsideMail } from "./outside-mail.ts";
import type { SmtpSink } from "./smtp-sink.ts";
import { aTrackingServer } from "./tracking-server.ts";

// The whole path of an email: through the API, the outbox and the pump to an external mail server, and back
// into its history.

const { aSink, aCarrier, endWith } = outsideMail();

beforeAll(withoutRates);

const BASE_URL = "https://mail.here.test";

async function startSending(): Promise<SmtpSink> {
  const sink = await aSink();
  const options: PumpOptions = {
    connection: pool(),
    carrier: await aCarrier(sink),
    compose: composeMessage,
    sign: signMessage,
    hostname: "mail.here.test",
    baseUrl: BASE_URL,
    relay: null,
    dataFolder: process.env.POSTHOUSE_DATA!,
    ownListener: () => ({ host: "127.0.0.1", port: 1 }),
    log: pino({ level: "silent" }),
  };
  const pump = new Pump(emailSource(options), options);
  endWith(() => pump.stop());
  await pump.start();
  return sink;
}

const drainCarrier = () =>
  vi.waitFor(async () => expect(await db().$count(outbox)).toBe(0), { timeout: 40_000 });

async function eventsOf(key: string, id: string): Promise<string[]> {
  const { body } = await call(emailsApi.listEvents, { key, params: { id } });
  return (body as { data: { type: string }[] }).data.map(({ type }) => type);
}

test("delivers attachments unchanged, both inline and separate", async () => {
  const sink = await startSending();
  const { key, email } = await anApiSender();
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10]);
  const { body } = await call(emailsApi.send, {
    key,
    body: {
      ...email,
      to: "ann@there.test",
      html: '<p>See <img src="cid:logo"></p>',
      attachments: [
        { filename: "logo.png", content: picture.toString("base64"), content_id: "logo" },
        { filename: "Größe.txt", content: [...Buffer.from("x\r\ny\n")] },
      ],
    },
  });
  await drainCarrier();

  const message = await simpleParser(sink.messages[0]!.raw, { skipTextToHtml: true });
  expect(message.messageId).toBe(
    `<${(body as { id: string }).id}@${email.from.split("@")[1]!.replace(">", "")}>`,
  );
  expect(
    message.attachments.map(({ filename, content, cid }) => ({ filename, content, cid })),
  ).toEqual([
    { filename: "logo.png", content: picture, cid: "logo" },
    { filename: "Größe.txt", content: Buffer.from("x\r\ny\n"), cid: undefined },
  ]);
});

test("loading a tracked email's image and link records events, its status and metrics", async () => {
  const sink = await startSending();
  const tracking = await aTrackingServer();
  endWith(() => tracking.stop());
  const { key, email, domain } = await anApiSender({}, { openTracking: true, clickTracking: true });
  const link = `https://shop.${domain.name}/order?a=1&b=2`;
  const { body } = await call(emailsApi.send, {
    key,
    body: {
      ...email,
      to: "ann@there.test",
      html: `<a href="${link.replace("&", "&amp;")}">Order</a>`,
    },
  });
  const { id } = body as { id: string };
  await drainCarrier();

  const { html } = await simpleParser(sink.messages[0]!.raw);
  const [click, open] = ["c", "o"].map(
    (kind) => new RegExp(`${BASE_URL}(/t/${kind}/[^"]+)`).exec(String(html))![1]!,
  );
  expect((await tracking.ask(open!)).status).toBe(200);
  const followed = await tracking.ask(click!);
  expect([followed.status, followed.headers.location]).toEqual([302, link]);

  await vi.waitFor(async () =>
    expect(await eventsOf(key, id)).toEqual([
      "email.sent",
      "email.delivered",
      "email.opened",
      "email.clicked",
    ]),
  );
  const { body: shown } = await call(emailsApi.get, { key, params: { id } });
  expect(shown).toMatchObject({ last_event: "clicked" });
  const { body: metrics } = await call(emailsApi.getMetrics, { key });
  expect(metrics).toMatchObject({
    totals: { sent: 1, delivered: 1, opened: 1, clicked: 1, open_rate: 1, click_rate: 1 },
  });
});

test("an email with List-Unsubscribe: auto is signed with a link that suppresses its recipient", async () => {
  const sink = await startSending();
  const web = await aTrackingServer();
  endWith(() => web.stop());
  const { key, email, companyId, domain } = await anApiSender({}, { trackingSubdomain: "links" });
  const record = { record: "tracking" as const, isVerified: true };
  await db()
    .insert(domainFindings)
    .values({ ...record, domainId: domain.id, checkedAt: new Date().toISOString() });
  const headers = { "List-Unsubscribe": "auto" };
  const tags = [{ name: "campaign", value: "spring-2026" }];
  const body = { ...email, to: "Ann@there.test", headers, tags };
  const { body: sent } = await call(emailsApi.send, { key, body });
  const { id } = sent as { id: string };
  await drainCarrier();

  const raw = sink.messages[0]!.raw.toString();
  const host = `links.${domain.name}`.replaceAll(".", "\\.");
  const field = new RegExp(`^List-Unsubscribe:\\s+<https://${host}(/t/u/[\\w-]+)>\r$`, "m");
  const [, link] = field.exec(raw) ?? [];
  expect(raw).toContain("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
  const [, signed = ""] = /^DKIM-Signature:[^]*?\sh=([^;]+);/.exec(raw) ?? [];
  const names = signed.replaceAll(/\s/g, "").split(":");
  expect(names).toEqual(
    expect.arrayContaining(["List-Unsubscribe", "List-Unsubscribe-Post", "Feedback-ID"]),
  );
  const feedbackId = new RegExp(`^Feedback-ID:\\s+spring-2026:${companyId}:list:posthouse\r$`, "m");
  expect(raw).toMatch(feedbackId);
  const source = (await composeSource(aContext(companyId), id)).toString();
  expect(source).toContain(link!);
  expect(source).toMatch(feedbackId);

  expect(await web.ask(link!, {}, "POST")).toMatchObject({ status: 200 });
  const { body: next } = await call(emailsApi.send, {
    key,
    body: { ...body, to: "ann@there.test" },
  });
  expect(await eventsOf(key, (next as { id: string }).id)).toEqual(["email.suppressed"]);
});

test("turning on tracking affects only emails sent afterwards", async () => {
  const sink = await startSending();
  const { key, email, domain } = await anApiSender();
  const html = '<a href="https://example.org/">Go</a>';
  const send = () => call(emailsApi.send, { key, body: { ...email, to: "ann@there.test", html } });
  await send();
  await db()
    .update(domains)
    .set({ openTracking: true, clickTracking: true })
    .where(eq(domains.id, domain.id));
  await drainCarrier();
  await send();
  await drainCarrier();

  const bodies = await Promise.all(sink.messages.map(({ raw }) => simpleParser(raw)));
  expect(bodies.map(({ html }) => String(html).includes("/t/c/"))).toEqual([false, true]);
  for (const { text } of bodies) expect(text).not.toContain("/t/");
});

test("delivers a scheduled email when it is due, and never a canceled one", async () => {
  const sink = await startSending();
  const { key, email } = await anApiSender();
  const ids = [];
  for (const subject of ["Due", "Canceled"]) {
    const at = { scheduled_at: new Date(Date.now() + 5_500).toISOString() };
    const { body } = await call(emailsApi.send, {
      key,
      body: { ...email, to: "ann@there.test", subject, ...at },
    });
    ids.push((body as { id: string }).id);
  }
  expect((await call(emailsApi.cancel, { key, params: { id: ids[1]! } })).status).toBe(200);
  await vi.waitFor(
    async () => {
      await processDueEmails(db());
      expect(sink.messages).toHaveLength(1);
    },
    { timeout: 40_000, interval: 200 },
  );
  expect(await eventsOf(key, ids[0]!)).toEqual(
    expect.arrayContaining(["email.scheduled", "email.sent"]),
  );
  expect(await eventsOf(key, ids[1]!)).toEqual(["email.scheduled", "email.canceled"]);
  await drainCarrier();
  expect(await auditLedger(db())).toMatchObject({ canceled: 1, unaccounted: 0 });
});
