import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { sql } from "drizzle-orm";

import { PRIORITIES } from "#server/core/sending/outbox/outbox-priority.ts";
import { migrate } from "#server/db/migrate.ts";
import { closePool, db } from "#server/db/pool.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { acceptEmails, benchEmails } from "./bench-email.ts";
import { endChildren } from "./start-child.ts";
import { startDelivery } from "./start-delivery.ts";

// Measures how long single emails take from acceptance to delivery: on an idle system, and while a batch of another
// company, or of the same one, is waiting for the same destination.
const { values: options } = parseArgs({
  options: {
    /** Emails of the batch. Must not run out during a measurement. */
    waiting: { type: "string", default: "100000" },
    /** Single emails of each measurement, one every `every` milliseconds. */
    singles: { type: "string", default: "100" },
    every: { type: "string", default: "100" },
  },
});
const CHUNK = 10_000;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
let delivery: Awaited<ReturnType<typeof startDelivery>> | undefined;

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  const senders = await Promise.all([aSender(), aSender()]);
  const [large, small] = senders;
  delivery = await startDelivery();
  await measured("warm-up", small);
  const rows = [await measured("idle system", small)];
  const batch = { from: `post@${large.name}`, to: "sink.test" };
  for (let queued = 0; queued < Number(options.waiting); queued += CHUNK)
    await acceptEmails(db(), large, benchEmails(CHUNK, batch), PRIORITIES.batch);
  rows.push(await measured("another company's batch is waiting", small));
  rows.push(await measured("a batch of the same company is waiting", large));
  console.table(rows);
} finally {
  await endChildren();
  await delivery?.dns.close();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function aSender() {
  return aDomain((await aCompany()).id);
}

/** Milliseconds from acceptance to the recorded delivery, by the database's clock. */
async function measured(what: string, sender: Awaited<ReturnType<typeof aSender>>) {
  const addresses = { from: `post@${sender.name}`, to: "sink.test" };
  const subject = `Single: ${what}`;
  const count = what === "warm-up" ? 10 : Number(options.singles);
  for (let sent = 0; sent < count; sent++) {
    const emails = benchEmails(1, addresses).map((email) => ({ ...email, subject }));
    await acceptEmails(db(), sender, emails);
    await delay(Number(options.every));
  }
  for (;;) {
    const [row] = await db().execute<{
      delivered: number;
      p50: number;
      p95: number;
      max: number;
    }>(sql`
      select count(*)::int as delivered, max(ms)::int as max,
        percentile_cont(0.5) within group (order by ms)::int as p50,
        percentile_cont(0.95) within group (order by ms)::int as p95
      from (select extract(epoch from v.created_at - e.sent_at) * 1000 as ms
        from emails e join email_events v on v.email_id = e.id and v.type = 'delivered'
        where e.subject = ${subject}) as delivery`);
    const [queue] = await db().execute<{ waiting: number }>(sql`
      select count(*)::int as waiting from outbox`);
    if (row!.delivered === count) return { what, ...row!, waiting: queue!.waiting };
    await delay(500);
  }
}
