import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

import { and, eq, inArray, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { emailEvents, messageRecipients, outbox } from "#drizzle/schema/index.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { aQueuedEmail, aSender, historyOf, queuedEmails } from "#server/testing/queued-emails.ts";
import { anSmtpSink, type SmtpSink } from "#server/testing/smtp-sink.ts";
import { killProcess, startWorkerProcess } from "#server/testing/worker-process.ts";

const DOMAINS = ["a.test", "b.test", "c.test", "d.test"];
const SLOW_MS = 300;

let sink: SmtpSink;
let dns: FakeDns;
const children: ChildProcess[] = [];

beforeEach(async () => {
  await db().delete(outbox);
  sink = await anSmtpSink({
    script: ({ verb }) => (verb === "DOT" ? { delayMs: SLOW_MS } : undefined),
  });
  dns = await aDnsServer({
    "mx.test": { A: ["127.0.0.1"] },
    ...Object.fromEntries(DOMAINS.map((domain) => [domain, { MX: ["10 mx.test"] }])),
  });
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(killProcess));
  await sink.close();
  await dns.close();
});

/** The real worker process, once it reports that it is ready. */
async function startWorker(): Promise<ChildProcess> {
  const child = await startWorkerProcess({
    POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
    POSTHOUSE_OUTBOUND_PORT: String(sink.port),
  });
  children.push(child);
  return child;
}

const manyRecipients = (count: number) =>
  Array.from({ length: count }, (_, i) => `r${i}@${DOMAINS[i % DOMAINS.length]!}`);
const outboxEmpty = (timeout: number) =>
  vi.waitFor(async () => expect(await db().$count(outbox)).toBe(0), { timeout, interval: 200 });

/** How often each recipient received mail. */
const copiesOf = (recipients: string[]) => recipients.map((recipient) => sink.received(recipient));

test("after a kill -9 during delivery another worker delivers everything once the leases of 30 s have expired, at most twice", async () => {
  const ofEmails = manyRecipients(700);
  await queuedEmails(
    await aSender(),
    ofEmails.map((recipient) => [recipient]),
  );
  const { id: companyId } = await aCompany();
  const ofMessages = manyRecipients(300).map((recipient) => `message-${recipient}`);
  await Promise.all(ofMessages.map((to) => anAcceptedMessage({ companyId, to: [to] })));
  const first = await startWorker();
  const sent = (recipients: string[]) => copiesOf(recipients).filter((copies) => copies > 0);
  await vi.waitFor(() => {
    expect(sent(ofEmails).length).toBeGreaterThan(50);
    expect(sent(ofMessages).length).toBeGreaterThan(50);
  });
  await killProcess(first);
  const leased = sql`lease_until > now()`;
  const leasedTooLong = sql`lease_until > now() + interval '30 s'`;
  expect(await db().$count(outbox, leased)).toBeGreaterThan(100);
  expect(await db().$count(outbox, leasedTooLong)).toBe(0);
  expect(await db().$count(messageRecipients, leased)).toBeGreaterThan(50);

  await startWorker();
  await outboxEmpty(75_000);
  const waiting = () => db().$count(messageRecipients, sql`state = 'queued'`);
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 60_000, interval: 200 });

  for (const recipients of [ofEmails, ofMessages]) {
    const copies = copiesOf(recipients);
    expect(Math.min(...copies)).toBe(1);
    expect(Math.max(...copies)).toBeLessThanOrEqual(2);
  }
  expect(await auditLedger(db())).toMatchObject({ accepted: 700, delivered: 700, unaccounted: 0 });
  expect(await auditMail(db())).toMatchObject({ accepted: 300, delivered: 300, unaccounted: 0 });
  const twice = await db().execute(sql`
    select recipient from email_events where type = 'delivered'
    group by email_id, recipient having count(*) > 1`);
  expect([...twice]).toEqual([]);
}, 180_000);

test("delivers new mail immediately, and on SIGTERM finishes running work and exits cleanly", async () => {
  const worker = await startWorker();
  const ids = await queuedEmails(
    await aSender(),
    manyRecipients(300).map((recipient) => [recipient]),
  );
  wakePump(db());
  await vi.waitFor(() => expect(sink.accepted()).toBeGreaterThan(20));

  worker.kill("SIGTERM");
  const exit: unknown[] = await once(worker, "exit");

  expect(exit[0]).toBe(0);
  expect(await db().$count(outbox, sql`lease_owner is not null`)).toBe(0);
  // Every message that the sink accepted is recorded, so none is sent again.
  const delivered = and(eq(emailEvents.type, "delivered"), inArray(emailEvents.emailId, ids));
  expect(await db().$count(emailEvents, delivered)).toBe(sink.accepted());
});

test("on SIGTERM waits for the reply to a sent message, which is not sent again", async () => {
  const received = Promise.withResolvers<undefined>();
  const slow = await anSmtpSink({
    script: ({ verb }) => {
      if (verb !== "DOT") return undefined;
      received.resolve(undefined);
      return { delayMs: 8_000 };
    },
  });
  const relay = { POSTHOUSE_RELAY_URL: `smtp://127.0.0.1:${slow.port}` };
  const worker = await startWorkerProcess(relay);
  children.push(worker);
  const id = await aQueuedEmail(await aSender(), "ann@there.test");
  wakePump(db());
  await received.promise;
  worker.kill("SIGTERM");
  expect((await once(worker, "exit"))[0]).toBe(0);

  expect(slow.accepted()).toBe(1);
  expect(await historyOf(id)).toEqual(["sent", "delivered ann@there.test"]);
  expect(await db().$count(outbox)).toBe(0);
  await slow.close();
});

test("exits when its parent is gone", async () => {
  const worker = await startWorker();
  worker.disconnect();
  const exit: unknown[] = await once(worker, "exit");
  expect(exit[0]).toBe(0);
});

test("delivers to local mailboxes through Dovecot's socket, or defers while it is down", async () => {
  await startWorker();
  const id = await aQueuedEmail(await aSender(), "you@posthouse.localhost");
  wakePump(db());
  await vi.waitFor(async () => expect(await historyOf(id)).toHaveLength(2));
  expect(await historyOf(id)).toEqual(["sent", "delivery_delayed you@posthouse.localhost"]);
});
