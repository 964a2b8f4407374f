import { eq, type SQL, sql } from "drizzle-orm";

import { emailBodies, emails } from "#drizzle/schema/index.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import { config } from "#server/config.ts";
import {
  eventBit,
  publishComplaint,
  publishEmailEvents,
} from "#server/core/sending/events/email-events.ts";
import { TEST_KEY_PREFIX } from "#server/core/sending/idempotency/idempotency.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { wakeScheduler } from "#server/core/sending/schedules/schedules.ts";
import { type CompanyScope, inTransaction } from "#server/core/shared/context.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

/** Counts of what was moved. */
export type Advanced = {
  scheduledEmails: number;
  /** Recipients that wait for their next attempt. */
  retries: number;
  webhookEvents: number;
};

/**
 * Brings forward everything planned for the company's test data. What becomes due happens at once, in its order.
 * Deliveries and requests in progress aren't affected. Not idempotent.
 */
export async function advanceClock(scope: CompanyScope, seconds: number): Promise<Advanced> {
  const advanced = await inTransaction(scope, async ({ db, companyId }) => {
    // Emails first and in the order of their ids, like everything that writes histories.
    await db.execute(sql`
      select id from emails e
      where company_id = ${companyId} and is_test
        and (due_at is not null or exists (select from outbox where email_id = e.id))
      order by id for no key update`);
    const emails = await db.execute(sql`
      update emails set due_at = ${earlier("due_at", seconds)}
      where company_id = ${companyId} and is_test and due_at is not null returning 1`);
    const rows = await db.execute(sql`
      update outbox set next_attempt_at = ${earlier("next_attempt_at", seconds)},
        created_at = created_at - ${interval(seconds)},
        retries_from = retries_from - ${interval(seconds)}
      where company_id = ${companyId} and lease_until is null
        and exists (select from emails e where e.id = outbox.email_id and e.is_test)
      returning 1`);
    const events = await moveWebhookEvents({ db, companyId }, seconds);
    await db.execute(sql`
      update idempotency_keys set created_at = created_at - ${interval(seconds)}
      where company_id = ${companyId} and starts_with(endpoint, ${TEST_KEY_PREFIX})
        and answer is not null`);
    return { scheduledEmails: emails.length, retries: rows.length, webhookEvents: events };
  });
  wakeScheduler(scope.db);
  wakePump(scope.db);
  wakeWebhooks(scope.db);
  return advanced;
}

async function moveWebhookEvents({ db, companyId }: CompanyScope, seconds: number) {
  const webhooks = await db.execute<{ id: string }>(sql`
    select id from webhooks where company_id = ${companyId} and is_test
    order by id for no key update`);
  const ids = JSON.stringify(webhooks.map(({ id }) => id));
  const events = await db.execute(sql`
    update webhook_events set next_attempt_at = ${earlier("next_attempt_at", seconds)}
    where webhook_id = any(array(select value::uuid from jsonb_array_elements_text(${ids}::jsonb)))
      and next_attempt_at is not null and lease_until is null
    returning 1`);
  return events.length;
}

const interval = (seconds: number): SQL => sql`make_interval(secs => ${seconds})`;

/** Never earlier than now, so lateness metrics aren't skewed. Rows on hold stay on hold. */
function earlier(column: "due_at" | "next_attempt_at", seconds: number): SQL {
  const at = sql.identifier(column);
  return sql`greatest(${at} - ${interval(seconds)}, least(${at}, statement_timestamp()))`;
}

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
