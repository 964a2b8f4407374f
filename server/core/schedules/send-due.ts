import { sql } from "drizzle-orm";

import { emailEvents, outbox } from "#drizzle/schema/index.ts";
import { domainOf } from "#server/core/addresses/parse-address.ts";
import { eventBits } from "#server/core/emails/event-bits.ts";
import type { Db } from "#server/db/client.ts";

import type { DueEmail } from "./lock-due.ts";

/** A due email with those of its recipients that get it and those that are skipped. */
export type AddressedEmail = {
  email: DueEmail;
  remaining: string[];
  skipped: { recipient: string; reason: string }[];
};

/**
 * Hands due emails over to the outbox, inside the caller's transaction; one without remaining
 * recipients ends as suppressed.
 */
export async function sendDue(db: Db, due: AddressedEmail[]): Promise<void> {
  if (due.length === 0) return;
  const queue = due.flatMap(({ email, remaining }) =>
    remaining.map((recipient) => ({
      emailId: email.id,
      recipient,
      destination: domainOf(recipient),
    })),
  );
  await db.execute(sql`
    update emails set due_at = null, last_event = given.last_event::email_event_type,
      event_types = emails.event_types | given.event_types, message_id = given.message_id,
      sent_at = case when given.message_id is null then null else clock_timestamp() end,
      open_tracking = given.open_tracking, click_tracking = given.click_tracking
    from jsonb_to_recordset(${JSON.stringify(due.map(changeOf))}::jsonb) as given(id uuid,
      last_event text, event_types int, message_id text, open_tracking boolean, click_tracking boolean)
    where emails.id = given.id`);
  await db.insert(emailEvents).values(due.flatMap(eventsOf));
  if (queue.length > 0) await db.insert(outbox).values(queue);
}

function changeOf({ email: { id, domain }, remaining, skipped }: AddressedEmail) {
  if (!domain) throw new Error(`The domain of due email ${id} is gone, which is looked at before`);
  const isSent = remaining.length > 0;
  return {
    id,
    last_event: isSent ? "sent" : "suppressed",
    event_types: eventBits([
      ...(skipped.length > 0 ? ["suppressed" as const] : []),
      ...(isSent ? ["sent" as const] : []),
    ]),
    message_id: isSent ? `<${id}@${domain.name}>` : null,
    open_tracking: isSent && domain.openTracking,
    click_tracking: isSent && domain.clickTracking,
  };
}

/** The newest entry decides the email's state, so `sent` comes last. */
function eventsOf({ email, remaining, skipped }: AddressedEmail) {
  const event = { emailId: email.id, companyId: email.companyId };
  return [
    ...skipped.map(({ recipient, reason }) => ({
      ...event,
      type: "suppressed" as const,
      recipient,
      reason,
    })),
    ...(remaining.length > 0 ? [{ ...event, type: "sent" as const }] : []),
  ];
}
