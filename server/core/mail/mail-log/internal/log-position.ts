import { type SQL, sql } from "drizzle-orm";

/** A spot in a newest-first list: the moment and the id of an entry, both as text. */
export type LogPosition = { at: string; id: string };

/** A moment as places have it: the later one is the greater text. */
export const timestampText = (column: SQL): SQL =>
  sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
