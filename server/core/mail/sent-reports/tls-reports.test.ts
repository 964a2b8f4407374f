import { gunzipSync } from "node:zlib";

import { eq } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { beforeEach, expect, test } from "vitest";

import { messages, mtaStsPolicies, settings, tlsSessionCounts } from "#drizzle/schema/index.ts";
import { readTls } from "#server/core/mail/report-parsing/read-tls.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { loadContent } from "#server/core/sending/messages/messages.ts";
import { storePolicy } from "#server/core/sending/mta-sts/policies.ts";
import {
  addSessionCounts,
  type SessionCount,
} from "#server/core/sending/transport-security/tls-sessions.ts";
import { db } from "#server/db/pool.ts";
import type { Answer } from "#server/gateways/dns.ts";
import { OutgoingFailure, type OutgoingRequest } from "#server/gateways/outgoing-http.ts";

import { sendTlsReports } from "./tls-reports.ts";

const DAY = "2026-11-20";
const NOW = new Date("2026-11-21T03:00:00Z");

beforeEach(async () => {
  await db().delete(tlsSessionCounts);
  await db().delete(mtaStsPolicies);
  await db().delete(messages).where(eq(messages.origin, "report"));
  await db().delete(settings);
});

const counted = (count: Partial<SessionCount>): SessionCount => ({
  day: DAY,
  domain: "there.test",
  policy: "opportunistic",
  host: "",
  failure: "",
  sendingIp: "",
  receivingIp: "",
  records: "",
  count: 1,
  ...count,
});

/** Runs the job with these TLSRPT records, by domain. */
async function send(
  records: Record<string, Answer<string> | string>,
  {
    now = NOW,
    localMode = false,
    status = 200,
  }: { now?: Date; localMode?: boolean; status?: number } = {},
) {
  const posts: OutgoingRequest[] = [];
  await sendTlsReports(db(), {
    now,
    home: { localMode },
    resolver: {
      txt: (name) => {
        const answer = records[name.replace("_smtp._tls.", "")] ?? { kind: "no_name" };
        const found = (text: string) => ({ kind: "found" as const, records: [text] });
        return Promise.resolve(typeof answer === "string" ? found(answer) : answer);
      },
    },
    http: {
      request(request) {
        posts.push(request);
        if (status === 0) return Promise.reject(new OutgoingFailure("private_address"));
        return Promise.resolve({ status, headers: {}, body: Buffer.alloc(0), isCut: false });
      },
    },
  });
  return posts;
}

async function sentReports() {
  const rows = await db().select().from(messages).where(eq(messages.origin, "report"));
  return Promise.all(
    rows.map(async (row) => {
      const mail = await simpleParser((await loadContent(db(), row.id))!, { skipHtmlToText: true });
      const json = gunzipSync(mail.attachments[0]!.content);
      return { row, mail, json, report: JSON.parse(json.toString()) as Record<string, unknown> };
    }),
  );
}

const left = () => db().$count(tlsSessionCounts);
const MAILTO = "v=TLSRPTv1; rua=mailto:tls@there.test";

test("a day's connections become one signed report by email, which our own parser reads", async () => {
  await storePolicy(db(), {
    domain: "there.test",
    policyId: "1",
    mode: "testing",
    mx: ["*.there.test"],
    maxAgeSeconds: 86_400,
  });
  const failed = counted({ policy: "mta-sts-testing", failure: "certificate-expired" });
  await addSessionCounts(db(), [
    counted({ count: 3 }),
    counted({ policy: "mta-sts-testing", count: 5 }),
    {
      ...failed,
      host: "mx.there.test",
      sendingIp: "192.0.2.1",
      receivingIp: "192.0.2.9",
      count: 2,
    },
  ]);
  await addSessionCounts(db(), [counted({ count: 4 })]);
  await send({ "there.test": MAILTO });

  const [sent, ...others] = await sentReports();
  expect(others).toEqual([]);
  const { row, mail, json, report } = sent!;
  expect(row).toMatchObject({ sender: "", signingDomainId: expect.any(String) as string });
  expect(mail.headers.get("tls-report-domain")).toBe("there.test");
  // The failures that it's about must not stop it (RFC 8460, 3).
  expect(mail.headers.get("tls-required")).toBe("No");
  expect(mail.headers.get("content-type")).toMatchObject({
    value: "multipart/report",
    params: { "report-type": "tlsrpt" },
  });
  expect(mail.attachments[0]).toMatchObject({
    contentType: "application/tlsrpt+gzip",
    filename: expect.stringMatching(/!there\.test!1795132800!1795219199!.+\.json\.gz$/) as string,
  });
  expect(report.policies).toEqual([
    {
      policy: { "policy-type": "no-policy-found", "policy-domain": "there.test" },
      summary: { "total-successful-session-count": 7, "total-failure-session-count": 0 },
    },
    {
      policy: {
        "policy-type": "sts",
        "policy-domain": "there.test",
        "mx-host": ["*.there.test"],
        "policy-string": ["version: STSv1", "mode: testing", "mx: *.there.test", "max_age: 86400"],
      },
      summary: { "total-successful-session-count": 5, "total-failure-session-count": 2 },
      "failure-details": [
        {
          "result-type": "certificate-expired",
          "failed-session-count": 2,
          "sending-mta-ip": "192.0.2.1",
          "receiving-ip": "192.0.2.9",
          "receiving-mx-hostname": "mx.there.test",
        },
      ],
    },
  ]);
  expect(readTls(json, NOW)).toMatchObject([{ domain: "there.test", successful: 12, failed: 2 }]);
  expect(await left()).toBe(0);
});

test("TLSA records are reported as a policy of each mail server, under its name", async () => {
  const records = (host: string) => `_25._tcp.${host}. IN TLSA 3 1 1 00`;
  const dane = (host: string) => ({ policy: "dane" as const, host, records: records(host) });
  await addSessionCounts(db(), [
    counted({ ...dane("mx1.there.test"), count: 3 }),
    counted({ ...dane("mx1.there.test"), failure: "tlsa-invalid" }),
    // Found under the name of a CNAME record's target.
    counted({ ...dane("mx2.there.test"), records: records("real.there.test") }),
    // Records that SMTP clients can't use.
    counted({ ...dane("mx3.there.test"), records: "" }),
  ]);
  await send({ "there.test": MAILTO });
  const [sent] = await sentReports();
  const policy = (domain: string, host?: string) => ({
    "policy-type": "tlsa",
    "policy-domain": domain,
    ...(host && { "policy-string": [records(host)] }),
  });
  expect(sent!.report.policies).toMatchObject([
    {
      policy: policy("mx1.there.test", "mx1.there.test"),
      summary: { "total-successful-session-count": 3, "total-failure-session-count": 1 },
    },
    { policy: policy("real.there.test", "real.there.test") },
    { policy: policy("there.test") },
  ]);
});

test("a day is reported once, and never before it's over", async () => {
  await addSessionCounts(db(), [counted({}), counted({ day: "2026-11-21" })]);
  await send({ "there.test": MAILTO });
  expect(await left()).toBe(1);
  // What another worker stored late isn't worth a second report.
  await addSessionCounts(db(), [counted({})]);
  await send({ "there.test": MAILTO });
  expect(await sentReports()).toHaveLength(1);
});

test("domains without a valid record get none, and nothing is kept about them", async () => {
  const domains = ["a.test", "b.test", "c.test"];
  await addSessionCounts(
    db(),
    domains.map((domain) => counted({ domain })),
  );
  await send({
    "b.test": { kind: "found", records: [MAILTO, MAILTO] },
    "c.test": "v=TLSRPTv1; rua=ftp://c.test",
  });
  expect(await sentReports()).toEqual([]);
  expect(await left()).toBe(0);
});

test("a report that can't be sent now is tried again for two days", async () => {
  await addSessionCounts(db(), [counted({}), counted({ domain: "b.test" })]);
  const records = {
    "there.test": { kind: "failed", reason: "SERVFAIL" },
    "b.test": "v=TLSRPTv1;rua=https://b.test/",
  } as const;
  expect(await send(records, { status: 0 })).toHaveLength(1);
  expect(await left()).toBe(2);
  await send(records, { status: 500, now: new Date("2026-11-23T03:00:00Z") });
  expect(await left()).toBe(0);
});

test("a report can be posted", async () => {
  await addSessionCounts(db(), [counted({})]);
  const [post] = await send({ "there.test": "v=TLSRPTv1;rua=https://there.test/tls" });
  expect(post).toMatchObject({
    url: "https://there.test/tls",
    method: "POST",
    headers: { "content-type": "application/tlsrpt+gzip" },
  });
  expect(readTls(gunzipSync(post!.body as Buffer), NOW)).toMatchObject([{ successful: 1 }]);
  expect(await left()).toBe(0);
  expect(await sentReports()).toEqual([]);
});

test("no reports are sent in local mode or when they're off", async () => {
  await addSessionCounts(db(), [counted({})]);
  await send({ "there.test": MAILTO }, { localMode: true });
  expect(await left()).toBe(0);
  await addSessionCounts(db(), [counted({})]);
  await changeSetting(db(), "tls_reports", "off");
  await addSessionCounts(db(), [counted({ domain: "b.test" })]);
  expect(await left()).toBe(1);
  await send({ "there.test": MAILTO });
  expect(await sentReports()).toEqual([]);
  expect(await left()).toBe(0);
});
