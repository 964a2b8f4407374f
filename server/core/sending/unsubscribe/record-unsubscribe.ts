import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { eventBit, publishEmailEvents } from "#server/core/sending/events/email-events.ts";
import type { UnsubscribeLink } from "#server/core/sending/tracking/tracking-token.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

const UNSUBSCRIBED = eventBit("unsubscribed");

/**
 * Suppresses a recipient who unsubscribed, and records it in the email's history and for webhooks. Another request for
 * the same email changes nothing, unless the suppression was removed meanwhile. An existing suppression keeps its
 * origin; only a bounce, which may expire, becomes `unsubscribe`. Suppresses even if the email is deleted, but not for a
 * test email, which the recipient never got.
 */
export async function recordUnsubscribe(
  db: Db,
  { companyId, emailId, recipient, isTest }: UnsubscribeLink,
  { ipAddress, userAgent }: { ipAddress: string; userAgent: string | null },
): Promise<void> {
  const published = await db.transaction(async (tx) => {
    // Everything that writes an email's history locks its row first, so the next statement sees earlier requests.
    await tx.execute(sql`select from emails where id = ${emailId}::uuid for no key update`);
    return tx.execute(sql`
      with suppressed as (
        insert into suppressions as s (id, company_id, email, origin, source_id)
        select ${uuidv7()}::uuid, c.id, ${recipient}, 'unsubscribe', ${emailId}::uuid
        from companies c where c.id = ${companyId}::uuid
          and not ${isTest}::boolean
        on conflict (company_id, email) do update set origin = 'unsubscribe', source_id = excluded.source_id
          where s.origin = 'bounce'
        returning s.id
      ), request as (
        insert into email_events (email_id, company_id, type, recipient, ip_address, user_agent)
        select e.id, e.company_id, 'unsubscribed', ${recipient}, ${ipAddress}, ${userAgent}
        from emails e
        where e.id = ${emailId}::uuid and e.company_id = ${companyId}::uuid
          and (e.event_types & ${UNSUBSCRIBED} = 0 or exists (select from suppressed))
        returning *
      ), shown as (
        update emails set event_types = event_types | ${UNSUBSCRIBED}
        from request where emails.id = request.email_id
      )
      ${publishEmailEvents("request", "emails")}
      returning webhook_events.id`);
  });
  if (published.length > 0) wakeWebhooks(db);
}
