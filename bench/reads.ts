import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { startWebProcess } from "#server/testing/web-process.ts";

import { measureReads, type Measured } from "./measure-reads.ts";
import { requireDiskSpace, seedEmails } from "./seed-emails.ts";
import { disableLimits } from "./disable-limits.ts";
import { reportFindings } from "./summary.ts";

// Measures reads over HTTP with few and with many emails in the table: list pages, single emails, their
// histories, and metrics of a year. The same process serves both, one after the other.
const { values: options } = parseArgs({
  options: {
    few: { type: "string", default: "10000" },
    many: { type: "string", default: "5000000" },
    requests: { type: "string", default: "400" },
  },
});

await requireDiskSpace(tmpdir(), Number(options.many));
const few = await measureWith(Number(options.few));
const many = await measureWith(Number(options.many));
reportFindings([
  {
    what: `largest growth of a read, p99, ${options.few} to ${options.many} emails`,
    unit: "times",
    measured: Math.max(...Object.entries(many).map(([read, { p99 }]) => p99 / few[read]!.p99)),
    atMost: 2,
  },
]);
console.table(
  Object.fromEntries(
    Object.entries(many).map(([read, { p50, p99 }]) => {
      const base = few[read]!;
      return [
        read,
        {
          [`${options.few}: p50`]: base.p50,
          p99: base.p99,
          [`${options.many}: p50`]: p50,
          "p99 ": p99,
          "p50 ratio": Number((p50 / base.p50).toFixed(2)),
          "p99 ratio": Number((p99 / base.p99).toFixed(2)),
        },
      ];
    }),
  ),
);

/** Milliseconds per read, on a separate database that is deleted afterwards. */
async function measureWith(emails: number): Promise<Record<string, Measured>> {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    folder: join(folder, "postgres"),
    settings: { max_wal_size: "4GB" },
  });
  try {
    await migrate(postgres.url);
    const connection = connect(postgres.url, { max: 2 });
    const tenants = await seedEmails(connection.db, emails, (done) =>
      console.error(`${done} of ${emails} emails`),
    );
    await disableLimits(connection.db);
    await connection.sql`checkpoint`;
    const web = await startWebProcess({
      env: { DATABASE_URL: postgres.url, POSTHOUSE_DATA: folder },
    });
    try {
      const url = `http://127.0.0.1:${web.port}`;
      return await measureReads(connection.sql, url, tenants, Number(options.requests));
    } finally {
      await web.stop();
      await connection.close();
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
