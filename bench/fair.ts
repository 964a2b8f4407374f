import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { sql } from "drizzle-orm";

import { outbox } from "#drizzle/schema/index.ts";
import { PRIORITIES } from "#server/core/sending/outbox/queue-rows.ts";
import { migrate } from "#server/db/migrate.ts";
import { closePool, db } from "#server/db/pool.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { acceptEmails, benchEmails } from "./bench-email.ts";
import { queueEmails } from "./queue-emails.ts";
import { selfTimes } from "./self-times.ts";
import { endChildren } from "./start-child.ts";
import { startDelivery } from "./start-delivery.ts";

// Measures how long single emails take from acceptance to delivery: on an idle system; while heavy emails for a slow
// destination, or mail for tarpits, of another company are waiting; and while a batch of another company, or of the
// same one, is waiting for the same destination.
const { values: options } = parseArgs({
  options: {
    /** Emails of the batch. Must not run out during a measurement. */
    waiting: { type: "string", default: "1000000" },
    /** Emails of 1.5 MB. */
    heavy: { type: "string", default: "1000" },
    /** Destinations that never reply. */
    tarpits: { type: "string", default: "20" },
    /** Single emails of each measurement, one every `every` milliseconds. */
    singles: { type: "string", default: "100" },
    every: { type: "string", default: "100" },
    profile: { type: "boolean", default: false },
  },
});
const HEAVY_BYTES = 1.5 * 1024 * 1024;
const HEAVY_REPLY_MS = 3_000;
const NEVER_MS = 3_600_000;
const EMAILS_PER_TARPIT = 500;
/** The aim: p95 of single emails. */
const AIM_MS = 1_000;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const profiles = join(folder, "profiles");
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
const tarpits = Array.from({ length: Number(options.tarpits) }, (_, at) => `tarpit${at}.test`);
let delivery: Awaited<ReturnType<typeof startDelivery>> | undefined;

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  const [large, small] = [await aSender(), await aSender()];
  delivery = await startDelivery({
    execArgv: options.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [],
    receivers: [
      { domains: ["slow.test"], replyDelayMs: HEAVY_REPLY_MS },
      { domains: tarpits, replyDelayMs: NEVER_MS },
    ],
  });
  await measured("warm-up", small, 10);
  const rows = [await measured("idle system", small)];

  const heavy = { count: Number(options.heavy), to: ["slow.test"], attachmentBytes: HEAVY_BYTES };
  await queueEmails(db(), large, { ...heavy, priority: PRIORITIES.heavy });
  rows.push(await measured("another company's heavy emails are waiting", small));
  await dropQueue();

  if (tarpits.length > 0) {
    const stuck = { count: tarpits.length * EMAILS_PER_TARPIT, to: tarpits };
    await queueEmails(db(), large, { ...stuck, priority: PRIORITIES.single });
    rows.push(await measured("another company's mail for tarpits is waiting", small));
    rows.push(await measured("the same company's mail for tarpits is waiting", large));
    await dropQueue();
  }

  if (Number(options.waiting) > 0) {
    const batch = { count: Number(options.waiting), to: ["sink.test"] };
    await queueEmails(db(), large, { ...batch, priority: PRIORITIES.batch });
    rows.push(await measured("another company's batch is waiting", small));
    rows.push(await measured("a batch of the same company is waiting", large));
  }
  console.table(rows);
  if (options.profile) {
    delivery.worker.child.kill("SIGTERM");
    await once(delivery.worker.child, "exit");
    console.table(selfTimes(profiles));
  }
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

/** What is in progress ends without an outcome. */
async function dropQueue(): Promise<void> {
  await db().execute(sql`truncate outbox`);
}

/** Milliseconds from acceptance to the recorded delivery, by the database's clock. */
async function measured(
  what: string,
  sender: Awaited<ReturnType<typeof aSender>>,
  count = Number(options.singles),
) {
  const addresses = { from: `post@${sender.name}`, to: "sink.test" };
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent++) {
    ids.push(...(await acceptEmails(db(), sender, benchEmails(1, addresses))));
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
        where e.id = any(${`{${ids.join(",")}}`}::uuid[])) as delivery`);
    if (row!.delivered === count)
      return {
        what,
        ...row!,
        waiting: await db().$count(outbox),
        aim: row!.p95 < AIM_MS ? "met" : "missed",
      };
    await delay(500);
  }
}
