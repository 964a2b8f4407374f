import { sql, type SQL } from "drizzle-orm";

import { eventBit, publishEmailEvents } from "#server/core/sending/events/email-events.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

import { TRACKED_LINK_DAYS } from "./tracking-token.ts";

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

type VisitedEmail = {
  /** Its tracked links have expired. */
  isExpired: boolean;
  /** The link's host is a verified domain of the company, or a subdomain of one. */
  isCompanyHost: boolean;
  /** The visit would add an event. */
  counts: boolean;
};

/** Returns the email of a visit with one indexed read; null if there is none. */
export async function findVisitedEmail(db: Db, visit: Visit): Promise<VisitedEmail | null> {
  const names = JSON.stringify(visit.type === "clicked" ? namesAbove(visit.link) : []);
  const [visited] = await db.execute<VisitedEmail>(sql`
    select e.created_at + make_interval(days => ${TRACKED_LINK_DAYS}) <= clock_timestamp() as "isExpired",
      exists (
        select from domains d
        where d.company_id = e.company_id
          and d.name in (select jsonb_array_elements_text(${names}::jsonb))
          and d.status = 'verified' and d.ownership_proven_at is not null
      ) as "isCompanyHost",
      ${isTracked(visit)} and not ${isRecentlyRecorded(visit)} as counts
    from emails e where e.id = ${visit.emailId}::uuid`);
  return visited ?? null;
}

/** A URL's host and its parent domains: `a.b.example`, `b.example`, `example`. */
function namesAbove(url: string): string[] {
  const labels = new URL(url).hostname.replace(/\.$/, "").split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}

/** A reader's request for an email's tracking image or for a tracked link. */
export type Visit = {
  emailId: string;
  ipAddress: string;
  /** Null if the client sent none. */
  userAgent: string | null;
} & ({ type: "opened"; link: null } | { type: "clicked"; link: string });

/** Whether the email `e` was sent with this kind of tracking. */
function isTracked({ type }: Visit): SQL {
  const flag = type === "opened" ? sql`e.open_tracking` : sql`e.click_tracking`;
  return sql`(e.sent_at is not null and ${flag})`;
}

/**
 * Whether an event was recorded in the last minute: one per email for opens, one per link for clicks. Uses
 * `email_events_tracked_idx`, hence the index's condition and statement_timestamp().
 */
function isRecentlyRecorded({ emailId, type, link }: Visit): SQL {
  return sql`exists (
    select from email_events
    where email_id = ${emailId}::uuid and type = ${type}::email_event_type
      and type in ('opened', 'clicked')
      and created_at > statement_timestamp() - interval '1 minute'
      and link is not distinct from ${link})`;
}
