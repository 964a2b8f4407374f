import { sql } from "drizzle-orm";

import { eventBit } from "#server/core/sending/events/event-type-bits.ts";
import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

import type { Visit } from "./visit.ts";
import { isRecentlyRecorded, isTracked } from "./internal/visit-conditions.ts";

/**
 * Records an open or click and publishes it to webhooks: at most one open per email and one click per link
 * each minute. Ignores emails that weren't sent with that tracking.
 */
export async function recordVisit(db: Db, visit: Visit): Promise<void> {
  const { emailId, type, link, ipAddress, userAgent } = visit;
  const published = await db.transaction(async (tx) => {
    // Everything that writes an email's history locks its row first, so the next statement sees earlier
    // visits.
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
