import { eq, sql } from "drizzle-orm";

import { emailBodies, emails } from "#drizzle/schema/index.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import { config } from "#server/config.ts";
import { eventBit } from "#server/core/sending/events/event-type-bits.ts";
import { publishComplaint } from "#server/core/sending/events/publish-complaint.ts";
import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import type { Db } from "#server/db/client.ts";

/** What a simulated recipient does with an email. */
export type Reaction = NonNullable<Outcome["reaction"]>;

type Delivered = { emailId: string; recipient: string };

const VISITOR = { ipAddress: "127.0.0.1", userAgent: "Posthouse test mode" };

/**
 * Records what the recipient of a test email does right after its delivery, and publishes it to webhooks, in the
 * caller's transaction, which has locked the email. Nothing is suppressed.
 */
export async function recordReaction(
  db: Db,
  reaction: Reaction,
  { emailId, recipient }: Delivered,
): Promise<void> {
  if (reaction === "complained") return recordComplaint(db, { emailId, recipient });
  const link = reaction === "clicked" ? await findLink(db, emailId) : null;
  await db.execute(sql`
    with visit as (
      insert into email_events (email_id, company_id, type, link, ip_address, user_agent)
      select e.id, e.company_id, ${reaction}::email_event_type, ${link}, ${VISITOR.ipAddress},
        ${VISITOR.userAgent}
      from emails e where e.id = ${emailId}::uuid
      returning *
    ), shown as (
      update emails set last_event = ${reaction}::email_event_type,
        event_types = event_types | ${eventBit(reaction)}
      where id in (select email_id from visit)
    )
    ${publishEmailEvents("visit", "emails")}`);
}

async function recordComplaint(db: Db, { emailId, recipient }: Delivered): Promise<void> {
  const [email] = await db
    .update(emails)
    .set({ eventTypes: sql`${emails.eventTypes} | ${eventBit("complained")}` })
    .where(eq(emails.id, emailId))
    .returning();
  if (email) await publishComplaint(db, email, recipient);
}

/** The first link of the HTML; the instance's URL if there is none. */
async function findLink(db: Db, emailId: string): Promise<string> {
  const [body] = await db
    .select({ html: emailBodies.html })
    .from(emailBodies)
    .where(eq(emailBodies.emailId, emailId));
  const [, link] = /\bhref\s*=\s*["'](https?:[^"'\s]+)/i.exec(body?.html ?? "") ?? [];
  return link?.replaceAll("&amp;", "&") ?? config().baseUrl;
}
