import { gunzipSync } from "node:zlib";

import { eq } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { beforeEach, expect, test } from "vitest";

import { dmarcCounts, messageRecipients, messages, settings } from "#drizzle/schema/index.ts";
import { readDmarcReport } from "#server/core/mail/report-parsing/read-dmarc.ts";
import { loadContent } from "#server/core/sending/messages/messages.ts";
import { db } from "#server/db/pool.ts";
import type { Answer } from "#server/gateways/dns.ts";

import { addDmarcCounts, type ReportedResult, sendDmarcReports } from "./dmarc-reports.ts";

const DAY = "2026-11-20";
const NOW = new Date("2026-11-21T03:00:00Z");

beforeEach(async () => {
  await db().delete(dmarcCounts);
  await db().delete(messages).where(eq(messages.origin, "report"));
  await db().delete(settings);
});

const RESULT: ReportedResult = {
  headerFrom: "there.test",
  disposition: "none",
  dkim: "pass",
  spf: "fail",
  spfResult: { domain: "lists.test", scope: "mfrom", result: "softfail" },
  signatures: [{ domain: "there.test", selector: "s1", result: "pass" }],
};

const counted = (
  result: Partial<ReportedResult> = {},
  { sourceIp = "192.0.2.1", count = 1, domain = "there.test" } = {},
) => ({
  day: DAY,
  domain,
  sourceIp,
  count,
  result: JSON.stringify({ ...RESULT, ...result }),
});

/** Runs the job with these TXT records. */
async function send(records: Record<string, string | Answer<string>>, now = NOW) {
  const questions: string[] = [];
  await sendDmarcReports(db(), {
    now,
    home: { localMode: false },
    resolver: {
      txt: (name) => {
        questions.push(name);
        const answer = records[name] ?? { kind: "no_name" };
        return Promise.resolve(
          typeof answer === "string" ? { kind: "found", records: [answer] } : answer,
        );
      },
    },
    http: { request: () => Promise.reject(new Error("DMARC reports aren't posted")) },
  });
  return questions;
}

async function sentReports() {
  const rows = await db()
    .select()
    .from(messages)
    .innerJoin(messageRecipients, eq(messageRecipients.messageId, messages.id))
    .where(eq(messages.origin, "report"))
    .orderBy(messageRecipients.recipient);
  return Promise.all(
    rows.map(async ({ messages: { id }, message_recipients: { recipient } }) => {
      const mail = await simpleParser((await loadContent(db(), id))!, { skipHtmlToText: true });
      const [file] = mail.attachments;
      return { recipient, mail, file: file!, xml: gunzipSync(file!.content).toString() };
    }),
  );
}

const left = () => db().$count(dmarcCounts);
const record = (...uris: string[]) => `v=DMARC1; p=quarantine; adkim=s; rua=${uris.join(",")}`;
const OWN = "mailto:dmarc@mail.there.test";

test("a day's messages become one report, which our own parser reads", async () => {
  await addDmarcCounts(db(), [counted({}, { count: 3 })]);
  await addDmarcCounts(db(), [
    counted({}, { count: 2 }),
    counted(
      { disposition: "quarantine", dkim: "fail", signatures: [] },
      { sourceIp: "2001:db8::1" },
    ),
  ]);
  await send({ "_dmarc.there.test": record(OWN) });

  const [{ recipient, mail, file, xml }, ...others] = (await sentReports()) as [
    Awaited<ReturnType<typeof sentReports>>[0],
  ];
  expect(others).toEqual([]);
  expect(recipient).toBe("dmarc@mail.there.test");
  expect(mail.subject).toMatch(/^Report Domain: there\.test Submitter: \S+ Report-ID: <\S+>$/);
  expect(file).toMatchObject({
    contentType: "application/gzip",
    filename: expect.stringMatching(/^[^!]+!there\.test!1795132800!1795219199\.xml\.gz$/) as string,
  });
  const { rows, ...report } = readDmarcReport(xml, NOW);
  expect(report).toMatchObject({
    domain: "there.test",
    policy: { p: "quarantine", sp: "quarantine", adkim: "s", aspf: "r", pct: "100" },
  });
  expect(JSON.parse(rows[0]!)).toEqual([
    {
      source_ip: "192.0.2.1",
      messages: 5,
      disposition: "none",
      dkim: "pass",
      spf: "fail",
      header_from: "there.test",
      envelope_from: "lists.test",
      reasons: [],
      auth: [
        { kind: "dkim", domain: "there.test", selector: "s1", result: "pass" },
        { kind: "spf", domain: "lists.test", result: "softfail" },
      ],
    },
    expect.objectContaining({ source_ip: "2001:db8::1", messages: 1, disposition: "quarantine" }),
  ]);
  expect(await left()).toBe(0);
});

test("a day is reported once, and never before it's over", async () => {
  await addDmarcCounts(db(), [counted(), { ...counted(), day: "2026-11-21" }]);
  await send({ "_dmarc.there.test": record(OWN) });
  expect(await left()).toBe(1);
  await addDmarcCounts(db(), [counted()]);
  await send({ "_dmarc.there.test": record(OWN) });
  expect(await sentReports()).toHaveLength(1);
});

test("an address elsewhere gets reports only if its domain agrees", async () => {
  await addDmarcCounts(db(), [counted()]);
  await send({
    "_dmarc.there.test": record("mailto:a@victim.test", "mailto:b@service.test"),
    "there.test._report._dmarc.service.test": "v=DMARC1;",
  });
  expect((await sentReports()).map(({ recipient }) => recipient)).toEqual(["b@service.test"]);
});

test("an address whose domain can't be looked up doesn't keep reports from the others", async () => {
  await addDmarcCounts(db(), [counted()]);
  await send({
    "_dmarc.there.test": record("mailto:a@service.test", OWN),
    "there.test._report._dmarc.service.test": { kind: "failed", reason: "SERVFAIL" },
  });
  expect((await sentReports()).map(({ recipient }) => recipient)).toEqual([
    "dmarc@mail.there.test",
  ]);
  expect(await left()).toBe(0);
});

test("a report that is too large for an address isn't sent to it", async () => {
  await addDmarcCounts(db(), [counted()]);
  await send({ "_dmarc.there.test": record(`${OWN}!1k`, "mailto:large@there.test!1m") });
  expect((await sentReports()).map(({ recipient }) => recipient)).toEqual(["large@there.test"]);
});

test("what can't be looked up is tried again for two days; without a record, nothing is kept", async () => {
  const failed = { kind: "failed", reason: "SERVFAIL" } as const;
  await addDmarcCounts(db(), [
    counted(),
    counted({}, { domain: "b.test" }),
    counted({}, { domain: "c.test" }),
  ]);
  const records = {
    "_dmarc.there.test": failed,
    "_dmarc.b.test": record("mailto:a@service.test"),
    "b.test._report._dmarc.service.test": failed,
  };
  await send(records);
  expect(await left()).toBe(2);
  await send(records, new Date("2026-11-23T03:00:00Z"));
  expect(await left()).toBe(0);
  expect(await sentReports()).toEqual([]);
});

test("text from messages can't break the report", async () => {
  await addDmarcCounts(db(), [
    counted({ signatures: [{ domain: "a.test", selector: "<&\"'>", result: "fail" }] }),
  ]);
  await send({ "_dmarc.there.test": record(OWN) });
  const [{ xml }] = (await sentReports()) as [Awaited<ReturnType<typeof sentReports>>[0]];
  expect(xml).toContain("<selector>&lt;&amp;&quot;&#39;&gt;</selector>");
});
