import { type SQL, sql } from "drizzle-orm";

import type { Visit } from "#server/core/sending/tracking/visit.ts";

/** Whether the email `e` takes events of this kind: it went out, with that kind of tracking. */
export function isTracked({ type }: Visit): SQL {
  const flag = type === "opened" ? sql`e.open_tracking` : sql`e.click_tracking`;
  return sql`(e.sent_at is not null and ${flag})`;
}

/**
 * Whether the last minute has its event: one of an email's opens, one of each of its links' clicks. Read
 * along `email_events_tracked_idx`: hence the condition of the index, and a clock that stands still
 * for a statement.
 */
export function isRecentlyRecorded({ emailId, type, link }: Visit): SQL {
  return sql`exists (
    select from email_events
    where email_id = ${emailId}::uuid and type = ${type}::email_event_type
      and type in ('opened', 'clicked')
      and created_at > statement_timestamp() - interval '1 minute'
      and link is not distinct from ${link})`;
}
