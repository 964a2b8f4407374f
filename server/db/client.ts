import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import postgres from "postgres";

import * as schema from "#drizzle/schema/index.ts";

import { preparing } from "./preparing.ts";

/** A back end of Postgres takes 3 to 9 MB. After peak load, a pool closes those it no longer needs. */
const IDLE_SECONDS = 10;

type Schema = typeof schema;

/** Where to read and write: the pool, or a transaction of it. */
export type Db = PgDatabase<PostgresJsQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>;

/** A connection pool. `sql` is its driver, for LISTEN and for statements that drizzle does not support. */
export type Connection = { db: Db; sql: postgres.Sql; close(): Promise<void> };

/**
 * Opens a pool. It connects at the first query.
 *
 * @param max maximum number of connections
 * @param idleSeconds closes connections that were not used for this long; null keeps them, for session locks
 * @param onClose called when a connection ends; implies that connections are kept
 */
export function connect(
  url: string,
  {
    max = 10,
    idleSeconds = IDLE_SECONDS,
    onClose,
  }: { max?: number; idleSeconds?: number | null; onClose?: () => void } = {},
): Connection {
  const sql = postgres(url, {
    max,
    ...(onClose || idleSeconds === null ? { max_lifetime: null } : { idle_timeout: idleSeconds }),
    ...(onClose && { onclose: onClose }),
    onnotice: () => {},
    connect_timeout: 10,
    // Seconds. The driver's default grows to 20.
    backoff: (retries) => Math.min(0.05 * 2 ** retries, 1),
    // Timestamps are read as text, in the session's time zone. Commits must be durable regardless of the
    // server's default.
    connection: { TimeZone: "UTC", application_name: "posthouse", synchronous_commit: "on" },
  });
  return {
    db: drizzle(preparing(sql), { schema, casing: "snake_case" }),
    sql,
    close: () => sql.end({ timeout: 5 }),
  };
}
