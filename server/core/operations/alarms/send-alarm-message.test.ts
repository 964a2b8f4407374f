import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { emailBodies, emails, noticePosts, notificationSettings } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anSmtpSink } from "#server/testing/smtp-sink.ts";

import {
  type AlarmMessage,
  listAlarmReaders,
  queueAlarmMessage,
  queueForOperators,
} from "./alarm-messages.ts";
import { type AlarmSettings, sendAlarmMessage } from "./send-alarm-message.ts";

const ID = "01a1fbff-8df0-7482-a0e8-4cc16f3af9af";
const config = readConfig({ POSTHOUSE_HOSTNAME: "mail.example.test" });

const disk = {
  name: "disk",
  severity: "critical" as const,
  found: "1 GB free – soon full",
  advice: "Free up disk space",
  raisedAt: "2026-11-23 09:00:00+00",
  clearedAt: null,
};
const raised: AlarmMessage = { kind: "changes", raised: [disk], cleared: [] };

type Posted = { path: string; headers: IncomingHttpHeaders; body: string };
let server: Server;
let url: string;
let posted: Posted[] = [];
let status = 200;
beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push({ path: request.url!, headers: request.headers, body });
      response.writeHead(status, status === 302 ? { location: `${url}/moved` } : {}).end("ok");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  posted = [];
  status = 200;
});

const settings = (given: Partial<AlarmSettings> = {}): AlarmSettings => ({
  alarm_email: "operators",
  alarm_webhook_url: `${url}/hook?token=secret`,
  alarm_ntfy_url: `${url}/topic`,
  alarm_slack_url: `${url}/services/T/B/x`,
  ...given,
});
const around = (given: Partial<Parameters<typeof sendAlarmMessage>[2]> = {}) => ({
  db: db(),
  config,
  settings: settings(),
  operators: [{ email: "olga@operator.example", emailOff: [] as string[] }],
  ...given,
});
const told = { id: ID, message: raised };

test("posts JSON to the webhook", async () => {
  await sendAlarmMessage("webhook", told, around());
  expect(posted).toMatchObject([{ path: "/hook?token=secret" }]);
  expect(JSON.parse(posted[0]!.body)).toEqual({
    id: ID,
    host: "mail.example.test",
    kind: "changes",
    raised: [disk],
    cleared: [],
  });
});

test("posts to an ntfy topic with title, urgency and a link", async () => {
  await sendAlarmMessage("ntfy", told, around());
  const [{ headers, body }] = posted as [Posted];
  const [, title] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(String(headers.title))!;
  expect(Buffer.from(title!, "base64").toString()).toBe(
    "Critical on mail.example.test: 1 GB free – soon full",
  );
  expect(headers).toMatchObject({
    priority: "urgent",
    click: "https://mail.example.test/console/operate/health",
  });
  expect(body).toBe("Critical: 1 GB free – soon full. Free up disk space.");
});

test("plain text has no backticks around commands", async () => {
  const backup = { ...disk, name: "backup", advice: "Run `posthouse backup`" };
  const message: AlarmMessage = { kind: "changes", raised: [backup], cleared: [] };
  await sendAlarmMessage("ntfy", { id: ID, message }, around());
  expect(posted[0]!.body).toContain("Run posthouse backup.");
});

test("a cleared alarm isn't urgent", async () => {
  const cleared: AlarmMessage = {
    kind: "changes",
    raised: [],
    cleared: [{ ...disk, found: "9% free", clearedAt: "2026-11-23 10:00:00+00" }],
  };
  await sendAlarmMessage("ntfy", { id: ID, message: cleared }, around());
  expect(posted[0]!.headers).toMatchObject({
    title: "Cleared on mail.example.test: 9% free",
    priority: "default",
  });
});

test("posts escaped text to an incoming webhook of Slack", async () => {
  const message: AlarmMessage = {
    ...raised,
    raised: [{ ...disk, found: "1 GB free & <soon full>" }],
  };
  await sendAlarmMessage("slack", { id: ID, message }, around());
  expect(JSON.parse(posted[0]!.body)).toEqual({
    text: [
      "*Critical on mail.example.test: 1 GB free &amp; &lt;soon full&gt;*",
      "Critical: 1 GB free &amp; &lt;soon full&gt;. Free up disk space.",
      "https://mail.example.test/console/operate/health",
    ].join("\n"),
  });
});

test("fails without the URL in the error, and doesn't follow redirects", async () => {
  status = 500;
  await expect(sendAlarmMessage("webhook", told, around())).rejects.toThrow(
    /^The server answered with status 500$/,
  );
  status = 302;
  await expect(sendAlarmMessage("webhook", told, around())).rejects.toThrow(
    /^The request failed: [^/]*$/,
  );
  expect(posted.map(({ path }) => path)).not.toContain("/moved");
  const gone = settings({ alarm_webhook_url: "http://127.0.0.1:1/token-secret" });
  await expect(sendAlarmMessage("webhook", told, around({ settings: gone }))).rejects.toThrow(
    /^The request failed: [^/]*$/,
  );
});

test("emails through the smarthost without the database", async () => {
  const sink = await anSmtpSink();
  const { alarmRelay } = readConfig({
    POSTHOUSE_ALARM_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  });
  await sendAlarmMessage("email", told, around({ db: null, config: { ...config, alarmRelay } }));
  expect(sink.messages).toMatchObject([
    { from: "posthouse@mail.example.test", recipients: ["olga@operator.example"] },
  ]);
  const raw = sink.messages[0]!.raw.toString();
  expect(raw).toContain(`Message-ID: <${ID}@mail.example.test>`);
  expect(raw).toContain("Auto-Submitted: auto-generated");
  await sink.close();
});

test("without the database and a smarthost, email fails", async () => {
  await expect(sendAlarmMessage("email", told, around({ db: null }))).rejects.toThrow(
    "POSTHOUSE_ALARM_SMTP_URL",
  );
});

test("emails addresses of the setting through the appliance's own queue, each once", async () => {
  const own = around({ settings: settings({ alarm_email: "ann@ops.test,bob@ops.test" }) });
  const id = "01a1fbff-8df0-7482-a0e8-4cc16f3af9b0";
  await sendAlarmMessage("email", { id, message: raised }, own);
  await sendAlarmMessage("email", { id, message: raised }, own);
  const rows = await db().query.outbox.findMany();
  expect(
    rows
      .map(({ recipient }) => recipient)
      .filter((address) => address.endsWith("@ops.test"))
      .toSorted(),
  ).toEqual(["ann@ops.test", "bob@ops.test"]);
});

test("operators get the kinds of alarms that they didn't turn off, by email and at their own URL", async () => {
  const [olga, otto] = [await anOperatorNamed("olga"), await anOperatorNamed("otto")];
  const [own] = await db()
    .insert(notificationSettings)
    .values({
      email: olga,
      sealedUrl: seal("notification_url", "https://hooks.example.com/x"),
      emailOff: ["server"],
      urlOff: ["backup"],
    })
    .returning();
  const backup = { ...disk, name: "check:backup", found: "The last backup failed" };
  const message: AlarmMessage = { kind: "changes", raised: [disk, backup], cleared: [] };
  await queueForOperators(db(), message);
  expect(await db().select().from(noticePosts)).toMatchObject([
    {
      settingsId: own!.id,
      content: { kind: "alarm", paragraphs: [expect.stringContaining("1 GB free") as string] },
    },
  ]);

  const readers = (await listAlarmReaders(db())).filter(({ email }) =>
    [olga, otto].includes(email),
  );
  const noticeId = "01a1fbff-8df0-7482-a0e8-4cc16f3af9b0";
  await sendAlarmMessage("email", { id: noticeId, message }, around({ operators: readers }));
  const texts = await db()
    .select({ to: emails.to, text: emailBodies.text })
    .from(emails)
    .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id));
  const textTo = (email: string) => texts.find(({ to }) => to[0] === email)!.text!;
  expect(textTo(olga)).toContain("backup failed");
  expect(textTo(olga)).not.toContain("1 GB free");
  expect(textTo(otto)).toContain("1 GB free");
});

test("operators get tests and summaries at their own URL", async () => {
  const email = await anOperatorNamed("oda");
  const [own] = await db()
    .insert(notificationSettings)
    .values({
      email,
      sealedUrl: seal("notification_url", "https://hooks.example.com/y"),
      urlOff: ["backup"],
    })
    .returning();
  const subjects = async () =>
    (await db().select().from(noticePosts).where(eq(noticePosts.settingsId, own!.id)))
      .map(({ content }) => content.subject.split(" ")[0])
      .toSorted();
  expect(await queueAlarmMessage(db(), { kind: "test" })).toContain("operators' URLs");
  const summary = { kind: "summary" as const, raised: [], cleared: [disk], notes: [] };
  await queueAlarmMessage(db(), summary);
  expect(await subjects()).toEqual(["Test", "What"]);

  await db()
    .update(notificationSettings)
    .set({ urlOff: ["summary"] });
  await queueAlarmMessage(db(), summary);
  expect(await subjects()).toHaveLength(2);
});

async function anOperatorNamed(name: string): Promise<string> {
  const company = await aCompany();
  const email = `${name}-${company.id.slice(-6)}@operator.example`;
  return (await anAdmin(company.id, { isOperator: true, email })).email;
}
