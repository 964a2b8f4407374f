import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

import { and, eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { emailEvents, emails, outbox, sendingTotals } from "#drizzle/schema/index.ts";
import { OUTBOX_CHANNEL } from "#server/core/sending/outbox/queue-rows.ts";
import { rescheduleEmail } from "#server/core/sending/emails/scheduled-emails.ts";
import { createContext } from "#server/core/shared/context.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { lockTotals } from "#server/core/sending/quotas/totals.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db, pool } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { fileOf } from "#server/testing/ensure-built.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import {
  aScheduledEmail,
  aSchedulingCompany,
  changeCompany,
  scheduledEmails,
  type Scheduling,
  totalsOf,
} from "#server/testing/scheduled-emails.ts";

import { startScheduler } from "./scheduler.ts";

const log = pino({ level: "silent" });
const schedulers: { stop(): Promise<void> }[] = [];
const children: ChildProcess[] = [];

let sender: Scheduling;
beforeEach(async () => {
  await db().delete(emails);
  await db().delete(sendingTotals);
  await changeSetting(db(), "hourly_recipients_company", "1000000");
  await changeSetting(db(), "hourly_recipients_platform", "1000000");
  sender = await aSchedulingCompany();
});
afterEach(async () => {
  await Promise.all(schedulers.splice(0).map((scheduler) => scheduler.stop()));
  for (const child of children.splice(0))
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
});

async function start() {
  const scheduler = await startScheduler({ connection: pool(), log });
  schedulers.push(scheduler);
  return scheduler;
}
const ends = (id: string, state: string) =>
  vi.waitFor(async () => expect((await historyOf(id)).at(-1)).toBe(state), {
    interval: 20,
  });

/** Counts emails without exactly one `sent` event and one outbox row: there should be none. */
async function notSentOnce(): Promise<number> {
  const [row] = await db().execute<{ number: number }>(sql`
    select count(*)::int as number from emails e
    where (select count(*) from email_events where email_id = e.id and type = 'sent') <> 1
      or (select count(*) from outbox where email_id = e.id) <> cardinality(e."to")`);
  return row!.number;
}

test("sends an email when it is due, and not before", async () => {
  const id = await aScheduledEmail(sender, ["ann@a.example"], { due: 0.4 });
  await start();

  await ends(id, "sent");

  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  expect(Date.parse(email!.sentAt!)).toBeGreaterThanOrEqual(Date.parse(email!.scheduledAt!));
});

test("wakes up for an email that becomes due earlier while it sleeps", async () => {
  const id = await aScheduledEmail(sender, ["ann@a.example"], { due: 3600 });
  await start();
  const ctx = createContext(db(), sender.companyId, { kind: "system", task: "test" });
  const due = new Date(Date.now() + 300);
  await rescheduleEmail(ctx, id, due);

  await ends(id, "sent");

  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  expect(Date.parse(email!.sentAt!) - due.getTime()).toBeLessThan(1_000);
});

test("finds an email that is due earlier than it knows, without a notification", async () => {
  await start();
  const id = await aScheduledEmail(sender, ["ann@a.example"], { due: 0.1 });

  await ends(id, "sent");
});

test("sends emails that became due while no scheduler ran", async () => {
  const id = await aScheduledEmail(sender, ["ann@a.example"], { due: -86_400 });
  await start();

  await ends(id, "sent");
});

test("wakes the pump", async () => {
  const heard = vi.fn();
  const listening = await pool().sql.listen(OUTBOX_CHANNEL, heard);
  await aScheduledEmail(sender, ["ann@a.example"], { due: -1 });
  await start();

  await vi.waitFor(() => expect(heard).toHaveBeenCalled());
  await listening.unlisten();
});

test("processes nothing after it is stopped", async () => {
  const scheduler = await start();
  await scheduler.stop();
  const id = await aScheduledEmail(sender, ["ann@a.example"], { due: -1 });

  await scheduler.stop();

  expect(await historyOf(id)).toEqual(["scheduled"]);
});

test("concurrent schedulers send each email once", async () => {
  const recipients = Array.from({ length: 600 }, (_, i) => [`r${i}@a.example`, `s${i}@b.example`]);
  await scheduledEmails(sender, recipients, { due: -1 });
  for (let i = 0; i < 4; i++) await start();

  await vi.waitFor(async () => expect(await db().$count(outbox)).toBe(1200));

  expect(await notSentOnce()).toBe(0);
  expect(await totalsOf(sender.companyId)).toEqual({ hour: 1200, month: 1200, scheduled: 0 });
  expect(await auditLedger(db())).toMatchObject({ queued: 1200, unaccounted: 0 });
});

test("sends ten thousand emails due at the same moment, and another company's among them", async () => {
  await manyDue(sender, 10_000);
  const other = await aSchedulingCompany();
  const id = await aScheduledEmail(other, ["zoe@z.example"], { due: -1 });
  await start();
  await start();

  await vi.waitFor(async () => expect(await db().$count(outbox)).toBe(10_001), {
    timeout: 60_000,
    interval: 200,
  });

  expect(await notSentOnce()).toBe(0);
  expect(await historyOf(id)).toEqual(["scheduled", "sent"]);
  expect(await auditLedger(db())).toMatchObject({ queued: 10_001, unaccounted: 0 });
});

test("a company over its hourly limit does not delay another company", async () => {
  await changeSetting(db(), "hourly_recipients_company", "5");
  await manyDue(sender, 1_000);
  const id = await aScheduledEmail(await aSchedulingCompany(), ["zoe@z.example"], { due: 0 });
  await start();

  await ends(id, "sent");

  expect(await db().$count(emails, eq(emails.lastEvent, "scheduled"))).toBe(995);
  expect(await auditLedger(db())).toMatchObject({ scheduled: 995, queued: 6, unaccounted: 0 });
});

test("after a kill -9 during a batch, sends the emails late, and once", async () => {
  await scheduledEmails(
    sender,
    Array.from({ length: 20 }, (_, i) => [`r${i}@a.example`]),
    { due: -1 },
  );
  const off = await aSchedulingCompany({ serviceEnabled: false });
  const failing = await aScheduledEmail(off, ["zoe@z.example"], { due: -1 });
  let worker: ChildProcess | null = null;

  await db().transaction(async (tx) => {
    // While these rows are locked, the batch can't finish.
    await lockTotals(tx, [sender.companyId]);
    worker = startWorker();
    await untilBlocked();
    const exited = once(worker, "exit");
    worker.kill("SIGKILL");
    await exited;
  });
  expect(await db().$count(emails, eq(emails.lastEvent, "scheduled"))).toBe(21);
  expect(await auditLedger(db())).toMatchObject({ scheduled: 21, unaccounted: 0 });

  await changeCompany(off.companyId, { serviceEnabled: true });
  await start();
  await ends(failing, "sent");

  await vi.waitFor(async () => expect(await notSentOnce()).toBe(0));
  const sent = and(eq(emailEvents.type, "sent"), eq(emailEvents.companyId, sender.companyId));
  expect(await db().$count(emailEvents, sent)).toBe(20);
  expect(await totalsOf(sender.companyId)).toEqual({ hour: 20, month: 20, scheduled: 0 });
});

/** The real worker process. */
function startWorker(): ChildProcess {
  const child = fork(fileOf("worker/main.ts"), {
    env: { ...process.env, POSTHOUSE_OUTBOUND_PORT: "1" },
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  children.push(child);
  return child;
}

/** Like `scheduledEmails`, but in bulk, and due for a minute. */
async function manyDue({ companyId, domain, key }: Scheduling, count: number) {
  await db().execute(sql`
    with made as (
      insert into emails (id, company_id, domain_id, api_key_id, "from", subject, "to", last_event,
        scheduled_at, due_at)
      select gen_random_uuid(), ${companyId}::uuid, ${domain.id}::uuid, ${key.id}::uuid,
        ${`a@${domain.name}`}, 'Later', array['r' || n || '@a.example'], 'scheduled',
        now() - interval '1 minute', now() - interval '1 minute'
      from generate_series(1, ${count}::int) n
      returning id
    )
    insert into email_events (email_id, company_id, type)
    select id, ${companyId}::uuid, 'scheduled' from made`);
  await db().insert(sendingTotals).values({ scope: companyId, scheduledRecipients: count });
}
