import type { ChildProcess } from "node:child_process";

import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { domains, emailEvents } from "#drizzle/schema/index.ts";
import { findUnresponsiveComponents } from "#server/core/platform/processes/processes.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { db } from "#server/db/pool.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { aSender, queuedEmails, type Sender } from "#server/testing/queued-emails.ts";
import { anSmtpSink, type SmtpSink } from "#server/testing/smtp-sink.ts";
import { killProcess, startWorkerProcess } from "#server/testing/worker-process.ts";

// Runs the real worker process, to test how main.ts wires parts that have their own tests.
let sink: SmtpSink;
let dns: FakeDns;
let worker: ChildProcess;
let sender: Sender;

beforeAll(async () => {
  sink = await anSmtpSink({});
  dns = await aDnsServer({
    "mx.test": { A: ["127.0.0.1"] },
    "a.test": { MX: ["10 mx.test"] },
  });
  sender = await aSender();
  worker = await startWorkerProcess({
    NODE_ENV: "production",
    POSTHOUSE_HOSTNAME: "mail.example.test",
    POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
    POSTHOUSE_OUTBOUND_PORT: String(sink.port),
  });
}, 60_000);
afterAll(async () => {
  await killProcess(worker);
  await sink.close();
  await dns.close();
});

const patience = { timeout: 45_000, interval: 200 };

test("doesn't deliver to mail servers with private addresses, and looks up MTA-STS policies", async () => {
  const [id] = await queuedEmails(sender, [["ann@a.test"]]);
  await vi.waitFor(async () => {
    const events = await db().select().from(emailEvents).where(eq(emailEvents.emailId, id!));
    expect(events.map(({ type }) => type).sort()).toEqual(["bounced", "sent"]);
  }, patience);
  expect(sink.accepted()).toBe(0);
  expect(dns.questions).toContain("TXT _mta-sts.a.test");
});

test("runs the job queue", async () => {
  await enqueue(db(), "expire_domain_claims", {});
  await vi.waitFor(
    async () => expect(await db().execute(sql`select from graphile_worker.jobs`)).toHaveLength(0),
    patience,
  );
});

test("rechecks the DNS records of domains", async () => {
  await vi.waitFor(async () => {
    const [domain] = await db().select().from(domains).where(eq(domains.id, sender.id));
    expect(domain!.checkedAt).not.toBeNull();
  }, patience);
});

test("reports a delivery loop that hangs in a query within 20 seconds", async () => {
  const roles = new Set(["worker"] as const);
  expect(await findUnresponsiveComponents(db(), roles)).toEqual([]);
  await db().transaction(async (tx) => {
    await tx.execute(sql`lock table message_recipients in access exclusive mode`);
    wakeMessages(db());
    await vi.waitFor(
      async () => expect(await findUnresponsiveComponents(db(), roles)).toEqual(["delivery"]),
      {
        interval: 200,
      },
    );
  });
  await vi.waitFor(
    async () => expect(await findUnresponsiveComponents(db(), roles)).toEqual([]),
    patience,
  );
});
