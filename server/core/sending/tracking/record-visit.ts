import { sql } from "drizzle-orm";

import { eventBit } from "#server/core/sending/events/event-type-bits.ts";
import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";
import type { Db } from "#server/db/client.ts";

import type { Visit } from "./visit.ts";
import { isRecentlyRecorded, isTracked } from "./internal/visit-conditions.ts";

/**
 * Adds an open or a click to an email's history, and tells webhooks: one open a minute, one click a minute on each link,
 * however many come at once. Emails that were not sent, or not with that tracking, get none.
 */
export async function recordVisit(db: Db, visit: Visit): Promise<void> {
  const { emailId, type, link, ipAddress, userAgent } = visit;
  const published = await db.transaction(async (tx) => {
    // Whoever writes an email's history holds its row. The next statement then sees what those before
    // it recorded.
    await tx.execute(sql`select from emails where id = ${emailId}::uuid for no key update`);
    return tx.execute(sql`
      with visit as (
        insert into email_events (email_id, company_id, type, link, ip_address, user_agent)
        select e.id, e.company_id, ${type}::email_event_type, ${link}, ${ipAddress}, ${userAgent}
        from emails e
        where e.id = ${emailId}::uuid and ${isTracked(visit)} and not ${isRecentlyRecorded(visit)}
        returning *
      ), shown as (
        update emails set last_event = ${type}::email_event_type,
          event_types = event_types | ${eventBit(type)}
        from visit where emails.id = visit.email_id
      )
      ${publishEmailEvents("visit", "emails")}
      returning webhook_events.id`);
  });
  if (published.length > 0) wakeWebhooks(db);
}
