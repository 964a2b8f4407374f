import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { Sql } from "postgres";

import { countOldEmails, deleteOldEmails } from "#server/core/sending/emails/delete-old-emails.ts";
import { leaseDueEmails } from "#server/core/sending/outbox/email-leases.ts";
import { PRIORITIES } from "#server/core/sending/outbox/queue-rows.ts";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

import { percentiles } from "./measure-page.ts";
import { queueEmails } from "./queue-emails.ts";
import { requireDiskSpace, seedEmails } from "./seed-emails.ts";

// Measures what a large history costs: the size of its tables, leases of due emails beside it, deletion of the oldest emails
// (as `keep_emails_days` does each night), the vacuum that follows, and leases during both. Run it with two sizes to compare.
const { values: options } = parseArgs({
  options: {
    emails: { type: "string", default: "10000000" },
    /** The history covers 366 days. */
    keepDays: { type: "string", default: "360" },
    leases: { type: "string", default: "60" },
  },
});
const count = Number(options.emails);
const days = Number(options.keepDays);

await requireDiskSpace(tmpdir(), count);
const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({
  folder: join(folder, "postgres"),
  settings: { max_wal_size: "4GB" },
});
try {
  await migrate(postgres.url);
  const connection = connect(postgres.url, { max: 4 });
  const { db, sql } = connection;
  const tenants = await seedEmails(db, count, (done) =>
    console.error(`${done} of ${count} emails`),
  );
  console.table(await sizes(sql));

  const { companyId, domainIds } = tenants.large;
  const sender = { id: domainIds[0]!, name: `d0.${companyId}.example`, companyId };
  const priority = PRIORITIES.single;
  await queueEmails(db, sender, {
    count: 3 * 500 * Number(options.leases),
    to: ["a.test", "b.test"],
    priority,
  });
  await sql`vacuum (analyze) outbox`;
  const rows: object[] = [{ beside: "nothing else", ...(await lease(Number(options.leases))) }];

  const old = await countOldEmails(db, days);
  const deletion = timed(() => deleteOldEmails(db, days));
  rows.push({ beside: "the deletion", ...(await lease(Number(options.leases))) });
  const { seconds, result: deleted } = await deletion;
  console.log(`Deleted ${deleted} of ${old} old emails in ${seconds} s`);
  const vacuum = timed(async () => {
    for (const table of ["emails", "email_events"]) await sql.unsafe(`vacuum (analyze) ${table}`);
  });
  rows.push({ beside: "the vacuum", ...(await lease(Number(options.leases))) });
  console.log(`Vacuum: ${(await vacuum).seconds} s`);
  console.table(rows);
  console.table(await sizes(sql));
  await connection.close();

  /** Milliseconds of leases of 500 recipients, one after the other. */
  async function lease(times: number) {
    const taken: number[] = [];
    for (let i = 0; i < times; i++) {
      const startedAt = performance.now();
      const leased = await leaseDueEmails(db, {
        owner: randomUUID(),
        limit: 500,
        room: { light: 1e9, heavy: 1e9 },
      });
      taken.push(performance.now() - startedAt);
      if (leased.length !== 500) throw new Error(`${leased.length} leased`);
    }
    return percentiles(taken);
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function timed<Result>(work: () => Promise<Result>) {
  const startedAt = performance.now();
  const result = await work();
  return { result, seconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)) };
}

/** Gigabytes of the largest tables and of their indexes. */
async function sizes(sql: Sql): Promise<object[]> {
  return await sql`
    select relname as table, reltuples::float8 as rows, round(pg_table_size(oid) / 1e9, 2)::float8 as "table GB",
      round(pg_indexes_size(oid) / 1e9, 2)::float8 as "indexes GB"
    from pg_class where oid in (select relid from pg_stat_user_tables where schemaname = 'public')
    order by pg_total_relation_size(oid) desc limit 4`;
}
