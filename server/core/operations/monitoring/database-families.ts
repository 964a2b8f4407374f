import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { listTableSizes } from "./table-sizes.ts";
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
