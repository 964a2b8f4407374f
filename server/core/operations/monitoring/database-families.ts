import { sql } from "drizzle-orm";

import { type MailProvider, mailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { Db } from "#server/db/client.ts";

import { counter, gauge, type MetricFamily } from "./metric-families.ts";

type Facts = {
  sizeBytes: number;
  connectionsMax: number;
  oldestTransactionSeconds: number;
  commits: number;
  rollbacks: number;
  deadlocks: number;
  temporaryBytes: number;
  blocksRead: number;
  blocksHit: number;
};

/** Postgres: connections, transactions, and the size and dead rows of the largest tables. */
export async function databaseFamilies(db: Db): Promise<MetricFamily[]> {
  const [[facts], connections, tables] = await Promise.all([
    readFacts(db),
    readConnections(db),
    listTableSizes(db),
  ]);
  const { sizeBytes, connectionsMax, oldestTransactionSeconds, ...sums } = facts!;
  return [
    gauge("posthouse_postgres_size_bytes", "Size of the database", sizeBytes),
    gauge(
      "posthouse_postgres_connections",
      "Connections to the database by state",
      connections.map(({ state, number }) => ({ labels: { state }, value: number })),
    ),
    gauge("posthouse_postgres_connections_max", "max_connections of the server", connectionsMax),
    gauge(
      "posthouse_postgres_oldest_transaction_seconds",
      "Age of the oldest open transaction; 0 if there is none",
      oldestTransactionSeconds,
    ),
    counter("posthouse_postgres_commits_total", "Committed transactions", sums.commits),
    counter("posthouse_postgres_rollbacks_total", "Rolled back transactions", sums.rollbacks),
    counter("posthouse_postgres_deadlocks_total", "Deadlocks", sums.deadlocks),
    counter(
      "posthouse_postgres_temporary_bytes_total",
      "Bytes written to temporary files because work_mem was too small",
      sums.temporaryBytes,
    ),
    counter("posthouse_postgres_blocks_read_total", "Blocks read from disk", sums.blocksRead),
    counter("posthouse_postgres_blocks_hit_total", "Blocks found in memory", sums.blocksHit),
    gauge(
      "posthouse_postgres_table_bytes",
      "Size of the largest tables with their indexes",
      tables.map(({ table, bytes }) => ({ labels: { table }, value: bytes })),
    ),
    gauge(
      "posthouse_postgres_table_dead_rows",
      "Dead rows of the largest tables, which autovacuum has yet to remove",
      tables.map(({ table, deadRows }) => ({ labels: { table }, value: deadRows })),
    ),
  ];
}

function readFacts(db: Db): Promise<Facts[]> {
  return db.execute<Facts>(sql`
    select pg_database_size(current_database())::float8 as "sizeBytes",
      current_setting('max_connections')::int as "connectionsMax",
      coalesce((select extract(epoch from max(clock_timestamp() - xact_start)) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()), 0)::float8
        as "oldestTransactionSeconds",
      xact_commit::float8 as commits, xact_rollback::float8 as rollbacks, deadlocks::float8 as deadlocks,
      temp_bytes::float8 as "temporaryBytes", blks_read::float8 as "blocksRead",
      blks_hit::float8 as "blocksHit"
    from pg_stat_database where datname = current_database()`);
}

function readConnections(db: Db): Promise<{ state: string; number: number }[]> {
  return db.execute<{ state: string; number: number }>(sql`
    select replace(coalesce(state, 'other'), ' ', '_') as state, count(*)::int as number
    from pg_stat_activity where datname = current_database() group by 1`);
}

type Row = {
  destination: string;
  isLocal: boolean;
  due: number;
  inFlight: number;
  waiting: number;
  onHold: number;
  oldestDueSeconds: number | null;
};

const STATES = ["due", "inFlight", "waiting", "onHold"] as const;

const STATE_LABELS = {
  due: "due",
  inFlight: "in_flight",
  waiting: "waiting",
  onHold: "on_hold",
} as const;

/** Depth and age of the delivery queues by mail provider, and of the webhook and job queues. */
export async function queueFamilies(db: Db): Promise<MetricFamily[]> {
  const [destinations, [other]] = await Promise.all([readDestinations(db), readOtherQueues(db)]);
  const groups = Map.groupBy(destinations, groupOf);
  const sums = [...groups].map(([provider, rows]) => ({ provider, rows }));
  return [
    gauge(
      "posthouse_queue_recipients",
      "Recipients in the delivery queues: due, in_flight, waiting for a retry, on_hold",
      sums.flatMap(({ provider, rows }) =>
        STATES.map((state) => ({
          labels: { provider, state: STATE_LABELS[state] },
          value: rows.reduce((sum, row) => sum + row[state], 0),
        })),
      ),
    ),
    gauge(
      "posthouse_queue_oldest_due_seconds",
      "How long the oldest due recipient has been due; 0 if none is due",
      // Always present, so that alert rules have a value while the queue is empty.
      [{ provider: "all", rows: destinations }, ...sums].map(({ provider, rows }) => ({
        labels: { provider },
        value: Math.max(0, ...rows.map((row) => row.oldestDueSeconds ?? 0)),
      })),
    ),
    gauge("posthouse_webhook_events_due", "Webhook events that are due", other!.webhooksDue),
    gauge(
      "posthouse_webhook_oldest_due_seconds",
      "How long the oldest due webhook event has been due; 0 if none is due",
      other!.webhookSeconds ?? 0,
    ),
    gauge("posthouse_jobs_waiting", "Background jobs in the queue", other!.jobs),
    gauge(
      "posthouse_jobs_failing",
      "Background jobs that failed at least once",
      other!.jobsFailing,
    ),
  ];
}

const groupOf = ({ destination, isLocal }: Row): MailProvider =>
  isLocal ? "local" : mailProvider(destination);

/** Reads messages in two parts to use the partial indexes, since most are done. */
function readDestinations(db: Db): Promise<Row[]> {
  const isFree = sql`lease_until is null or lease_until <= statement_timestamp()`;
  const isDue = sql`next_attempt_at <= statement_timestamp() and (${isFree})`;
  return db.execute<Row>(sql`
    with queued as (
      select destination, next_attempt_at, lease_until from outbox
      union all
      select destination, next_attempt_at, lease_until from message_recipients
      where state = 'queued' and lease_until is null
      union all
      select destination, next_attempt_at, lease_until from message_recipients
      where lease_until is not null
    ), summed as (
      select destination, (count(*) filter (where ${isDue}))::int as due,
        (count(*) filter (where not (${isFree})))::int as "inFlight",
        (count(*) filter (where (${isFree}) and next_attempt_at > statement_timestamp()
          and next_attempt_at < 'infinity'))::int as waiting,
        (count(*) filter (where next_attempt_at = 'infinity'))::int as "onHold",
        extract(epoch from statement_timestamp()
          - min(coalesce(lease_until, next_attempt_at)) filter (where ${isDue}))::float8 as "oldestDueSeconds"
      from queued group by 1
    )
    select summed.*, exists (select from domains d
      where d.name = destination and d.ownership_proven_at is not null) as "isLocal" from summed`);
}

type OtherQueues = {
  webhooksDue: number;
  webhookSeconds: number | null;
  jobs: number;
  jobsFailing: number;
};

function readOtherQueues(db: Db): Promise<OtherQueues[]> {
  return db.execute<OtherQueues>(sql`
    select
      (select count(*)::int from webhook_events e join webhooks w on w.id = e.webhook_id
        where w.status = 'enabled' and e.next_attempt_at <= statement_timestamp()) as "webhooksDue",
      (select extract(epoch from statement_timestamp() - min(e.next_attempt_at))::float8
        from webhook_events e join webhooks w on w.id = e.webhook_id
        where w.status = 'enabled' and e.next_attempt_at <= statement_timestamp()) as "webhookSeconds",
      (select count(*)::int from graphile_worker.jobs) as jobs,
      (select count(*)::int from graphile_worker.jobs where attempts > 0 and last_error is not null)
        as "jobsFailing"`);
}

const LISTED_MAX = 20;

type TableSize = {
  table: string;
  /** With indexes and large values. */
  bytes: number;
  deadRows: number;
};

/** The largest tables. */
export function listTableSizes(db: Db): Promise<TableSize[]> {
  return db.execute<TableSize>(sql`
    select relname as "table", pg_total_relation_size(relid)::float8 as bytes,
      n_dead_tup::float8 as "deadRows"
    from pg_stat_user_tables where schemaname = 'public'
    order by 2 desc, 1 limit ${LISTED_MAX}`);
}
