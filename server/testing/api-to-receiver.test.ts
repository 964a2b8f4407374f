import type { ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { webhookEvents } from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { config } from "#server/config.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import { db } from "#server/db/pool.ts";

import { anApiSender } from "./api-sender.ts";
import { call } from "./call.ts";
import { attemptsOf, dueEvents, eventOf } from "./due-events.ts";
import { aWebhook } from "./factories.ts";
import { aDnsServer, type FakeDns } from "./fake-dns.ts";
import { anHttpsReceiver, type HttpsReceiver } from "./https-receiver.ts";
import { CERTIFICATE } from "./self-signed.ts";
import { anSmtpSink, type SmtpSink } from "./smtp-sink.ts";
import { killProcess, startWorkerProcess } from "./worker-process.ts";

// The whole path of an event: an email sent through the API, delivered by the real worker process, and its
// events posted to the sender's HTTPS endpoint.

let dns: FakeDns;
let sink: SmtpSink;
let receiver: HttpsReceiver;
const children: ChildProcess[] = [];

beforeEach(async () => {
  sink = await anSmtpSink();
  dns = await aDnsServer({
    "there.test": { MX: ["10 mx.there.test"] },
    "mx.there.test": { A: ["127.0.0.1"] },
    // The name in the receiver's certificate.
    "mx.example.test": { A: ["127.0.0.1"] },
  });
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(killProcess));
  await Promise.all([receiver.close(), sink.close(), dns.close()]);
});

async function aWorker() {
  const trusted = join(config().dataFolder, "receiver.pem");
  await writeFile(trusted, CERTIFICATE);
  const child = await startWorkerProcess({
    POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
    POSTHOUSE_OUTBOUND_PORT: String(sink.port),
    POSTHOUSE_PRIVATE_WEBHOOKS: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: trusted,
  });
  children.push(child);
  return child;
}

const arrived = (count: number, timeout = 25_000) =>
  vi.waitFor(() => expect(receiver.received).toHaveLength(count), { timeout, interval: 20 });

test("posts signed events of an email sent through the API to the webhook's endpoint", async () => {
  receiver = await anHttpsReceiver();
  // Checked just now, because the worker's own check would not find its records in this DNS.
  const { companyId, key, email } = await anApiSender({}, { checkedAt: new Date().toISOString() });
  const endpoint = `https://mx.example.test:${receiver.port}/events`;
  const { signingSecret } = await aWebhook(companyId, { endpoint });
  await aWorker();

  const subject = "Grüße an Åse 🐣";
  const sent = await call(emailsApi.send, {
    key,
    body: { ...email, to: "ann@there.test", subject },
  });
  expect(sent).toMatchObject({ status: 200 });
  const { id } = sent.body as { id: string };
  await arrived(2);

  const events = receiver.received.map(({ body, headers }) => {
    new StandardWebhook(signingSecret).verify(body, headers);
    return JSON.parse(body) as { type: string; data: Record<string, unknown> };
  });
  expect(events.map(({ type }) => type).sort()).toEqual(["email.delivered", "email.sent"]);
  for (const { data } of events)
    expect(data).toMatchObject({ email_id: id, subject, to: ["ann@there.test"] });
  await vi.waitFor(async () =>
    expect(await db().$count(webhookEvents, sql`status = 'success'`)).toBe(2),
  );
});

test("after a kill -9 during an attempt, delivers the event once its lease of 30 s has expired, with the same id", async () => {
  receiver = await anHttpsReceiver(["hang"]);
  const { companyId } = await anApiSender();
  const endpoint = `https://mx.example.test:${receiver.port}/`;
  const webhook = await aWebhook(companyId, { endpoint });
  const first = await aWorker();
  const [id] = await dueEvents(webhook);
  wakeWebhooks(db());
  await arrived(1);
  await killProcess(first);
  const longer = sql`lease_until > clock_timestamp() + interval '30 s'`;
  expect(await db().$count(webhookEvents, longer)).toBe(0);

  await aWorker();
  await arrived(2, 60_000);
  await vi.waitFor(async () => expect(await eventOf(id!)).toMatchObject({ status: "success" }));
  expect(await attemptsOf(id!)).toMatchObject([{ number: 1, httpStatusCode: 200 }]);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(ids[0]).toBe(ids[1]);
});

test("on SIGTERM a running attempt finishes and is recorded", async () => {
  receiver = await anHttpsReceiver([], { delayMs: 1000 });
  const { companyId } = await anApiSender();
  const endpoint = `https://mx.example.test:${receiver.port}/`;
  const worker = await aWorker();
  const [id] = await dueEvents(await aWebhook(companyId, { endpoint }));
  wakeWebhooks(db());
  await arrived(1);
  worker.kill("SIGTERM");
  await vi.waitFor(() => expect(worker.exitCode).toBe(0));
  expect(await eventOf(id!)).toMatchObject({ status: "success", leaseOwner: null });
});
