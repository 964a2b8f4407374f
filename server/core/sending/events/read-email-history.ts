import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** An event of an email, or what happened to a recipient of a message. */
export type HistoryEntry = {
  /** Unique among the entries. */
  key: string;
  /** The type of an event, `delayed`, or the final state of a recipient. */
  type: string;
  recipient: string | null;
  dsn: string | null;
  reply: string | null;
  /** How the connection was encrypted (`formatTls`). */
  tls: string | null;
  createdAt: string;
};

/** The history of an email or a message, oldest first. */
export function readEmailHistory(db: Db, id: string): Promise<HistoryEntry[]> {
  return db.execute<HistoryEntry>(sql`
    select 'event ' || id as key, type::text as type, recipient, dsn, coalesce(message, reason) as reply, tls,
      created_at as "createdAt"
    from email_events where email_id = ${id}::uuid
    union all
    select 'delay ' || id, 'delayed', recipient, dsn, reply, tls, created_at
    from message_delays where message_id = ${id}::uuid
    union all
    select 'recipient ' || id || state, state::text, recipient, dsn, reply, tls, coalesce(settled_at, created_at)
    from message_recipients where message_id = ${id}::uuid
    order by "createdAt", key`);
}
