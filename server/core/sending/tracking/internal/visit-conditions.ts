import { type SQL, sql } from "drizzle-orm";

import type { Visit } from "#server/core/sending/tracking/visit.ts";

/** Whether the email `e` was sent with this kind of tracking. */
export function isTracked({ type }: Visit): SQL {
  const flag = type === "opened" ? sql`e.open_tracking` : sql`e.click_tracking`;
  return sql`(e.sent_at is not null and ${flag})`;
}

/**
 * Whether an event was recorded in the last minute: one per email for opens, one per link for clicks. Uses
 * `email_events_tracked_idx`, hence the index's condition and statement_timestamp().
 */
export function isRecentlyRecorded({ emailId, type, link }: Visit): SQL {
  return sql`exists (
    select from email_events
    where email_id = ${emailId}::uuid and type = ${type}::email_event_type
      and type in ('opened', 'clicked')
      and created_at > statement_timestamp() - interval '1 minute'
      and link is not distinct from ${link})`;
}
