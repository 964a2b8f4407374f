import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { getQueueDepth, type QueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { rspamdUrl } from "#server/core/mail/spam/rspamd.ts";
import { loadCertificate } from "#server/core/platform/tls/certificate.ts";
import type { Db } from "#server/db/client.ts";
import { allDovecots } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { pingRspamd } from "#server/gateways/rspamd.ts";
import { diskSpaceAt } from "#server/processes/machine.ts";
import { X509Certificate } from "node:crypto";

type DatabaseFacts = {
  version: string;
  sizeBytes: number;
  connections: number;
  connectionsMax: number;
  /** The age of the oldest open transaction; null if there is none. */
  oldestTransactionSeconds: number | null;
};

type JobFacts = {
  waiting: number;
  /** Jobs that failed at least once, whether or not they are retried. */
  failing: { task: string; attempts: number; error: string; runAt: string }[];
};

export type SystemFacts = {
  database: DatabaseFacts;
  disk: { freeBytes: number; totalBytes: number };
  queue: QueueDepth;
  /** Webhook events that are due. */
  webhooksDue: number;
  jobs: JobFacts;
  /** Null if it doesn't respond. */
  dovecot: { sessions: number; accounts: number } | null;
  /** The version; null if it is off or doesn't respond. */
  rspamd: string | null;
  certificate: { validUntil: string; issuer: string; isSelfSigned: boolean } | null;
};

/** The current state of the appliance's parts. Parts that don't respond are null and don't delay the result. */
export async function getSystemFacts(db: Db): Promise<SystemFacts> {
  const [database, disk, queue, webhooksDue, jobs, dovecot, rspamd, certificate] =
    await Promise.all([
      databaseFacts(db),
      diskFacts(),
      getQueueDepth(db),
      countWebhooksDue(db),
      jobFacts(db),
      dovecotFacts(db).catch(() => null),
      rspamdFacts(db).catch(() => null),
      certificateFacts().catch(() => null),
    ]);
  return { database, disk, queue, webhooksDue, jobs, dovecot, rspamd, certificate };
}

async function databaseFacts(db: Db): Promise<DatabaseFacts> {
  const [row] = await db.execute<DatabaseFacts>(sql`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as "sizeBytes",
      (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
      current_setting('max_connections')::int as "connectionsMax",
      (select extract(epoch from max(clock_timestamp() - xact_start)) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid())::float8
        as "oldestTransactionSeconds"`);
  return row!;
}

async function diskFacts() {
  const { freeBytes, sizeBytes } = await diskSpaceAt(config().dataFolder);
  return { freeBytes, totalBytes: sizeBytes };
}

async function countWebhooksDue(db: Db): Promise<number> {
  const [row] = await db.execute<{ due: number }>(sql`
    select count(*)::int as due from webhook_events
    where status in ('pending', 'attempting') and next_attempt_at <= statement_timestamp()`);
  return row!.due;
}

async function jobFacts(db: Db): Promise<JobFacts> {
  const [row] = await db.execute<{ waiting: number }>(
    sql`select count(*)::int as waiting from graphile_worker.jobs`,
  );
  const failing = await db.execute<JobFacts["failing"][number]>(sql`
    select task_identifier as task, attempts, coalesce(last_error, '') as error, run_at as "runAt"
    from graphile_worker.jobs where attempts > 0 and last_error is not null
    order by attempts desc limit 20`);
  return {
    waiting: row!.waiting,
    // Without the stack trace.
    failing: failing.map((job) => ({ ...job, error: job.error.split("\n")[0]!.slice(0, 300) })),
  };
}

async function dovecotFacts(db: Db) {
  const perHost = (await allDovecots(db)).map(async ({ dovecot }) => {
    await dovecot.lookUpUnknownUser();
    return dovecot.who();
  });
  const sessions = (await Promise.all(perHost)).flat();
  return {
    sessions: sessions.reduce((sum, { connections }) => sum + connections, 0),
    accounts: new Set(sessions.map(({ username }) => username)).size,
  };
}

async function rspamdFacts(db: Db): Promise<string | null> {
  const url = rspamdUrl(await currentSettings(db));
  return url === null ? null : pingRspamd(url);
}

async function certificateFacts() {
  const { certificate } = await loadCertificate(config(), new Date());
  const read = new X509Certificate(certificate);
  return {
    validUntil: new Date(read.validTo).toISOString(),
    issuer: /^CN=(.*)$/m.exec(read.issuer)?.[1] ?? read.issuer,
    isSelfSigned: read.issuer === read.subject,
  };
}
