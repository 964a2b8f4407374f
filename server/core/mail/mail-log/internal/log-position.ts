import { type SQL, sql } from "drizzle-orm";

/** A position in a log: an entry's timestamp and id, as text. */
export type LogPosition = { at: string; id: string };

/** The timestamp as text that sorts in the order of time. */
export const timestampText = (column: SQL): SQL =>
  sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
