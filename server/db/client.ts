import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import postgres from "postgres";

import * as schema from "#drizzle/schema/index.ts";

import { preparing } from "./preparing.ts";

type Schema = typeof schema;

/** Where to read and write: the pool, or a transaction of it. */
export type Db = PgDatabase<PostgresJsQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>;

/** A pool of connections. `sql` is its driver, for statements drizzle cannot say and for LISTEN. */
export type Connection = { db: Db; sql: postgres.Sql; close(): Promise<void> };

/**
 * Opens a pool. Nothing is connected until the first query.
 *
 * @param max connections at most
 * @param onClose told of each connection that ends
 */
export function connect(
  url: string,
  { max = 10, onClose }: { max?: number; onClose?: () => void } = {},
): Connection {
  const sql = postgres(url, {
    max,
    // Whoever is told of an end wants those that somebody else brought about, not the pool's own renewals.
    ...(onClose && { onclose: onClose, max_lifetime: null }),
    onnotice: () => {},
    connect_timeout: 10,
    // Seconds before the next attempt to connect; the driver's own grow to 20.
    backoff: (retries) => Math.min(0.05 * 2 ** retries, 1),
    // Moments are read as text: the session's zone decides how Postgres prints them. Commits must be
    // durable, whatever the server's default is.
    connection: { TimeZone: "UTC", application_name: "posthouse", synchronous_commit: "on" },
  });
  return {
    db: drizzle(preparing(sql), { schema, casing: "snake_case" }),
    sql,
    close: () => sql.end({ timeout: 5 }),
  };
}
