import { sql } from "drizzle-orm";

import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { eventBits } from "#server/core/sending/events/event-type-bits.ts";
import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import type { Db } from "#server/db/client.ts";

import type { AddressedEmail } from "./split-suppressed.ts";

/**
 * Moves due emails to the outbox, in the caller's transaction. One without remaining recipients ends as
 * suppressed.
 */
export async function sendDue(db: Db, due: AddressedEmail[]): Promise<void> {
  if (due.length === 0) return;
  // The statements' texts don't depend on the number of rows, so each is prepared once.
  await db.execute(sql`
    update emails set due_at = null, last_event = given.last_event,
      event_types = emails.event_types | given.event_types, message_id = given.message_id,
      sent_at = case when given.message_id is not null then clock_timestamp() end,
      open_tracking = given.open_tracking, click_tracking = given.click_tracking
    from json_to_recordset(${JSON.stringify(due.map(changeOf))}::json) as given(id uuid,
      last_event email_event_type, event_types int, message_id text, open_tracking boolean,
      click_tracking boolean)
    where emails.id = given.id`);
  await db.execute(sql`
    with events as (
      insert into email_events (email_id, company_id, type, recipient, reason)
      select * from json_to_recordset(${JSON.stringify(due.flatMap(eventsOf))}::json)
        as t(email_id uuid, company_id uuid, type email_event_type, recipient text, reason text)
      returning *
    )
    ${publishEmailEvents("events", "emails")}`);
  await db.execute(sql`
    insert into outbox (email_id, company_id, recipient, destination)
    select * from json_to_recordset(${JSON.stringify(due.flatMap(queueOf))}::json)
      as t(email_id uuid, company_id uuid, recipient text, destination text)`);
}

function changeOf({ email: { id, domain }, remaining, skipped }: AddressedEmail) {
  if (!domain)
    throw new Error(`The domain of due email ${id} is gone, although it was checked before`);
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

/** The newest event decides the email's state, so `sent` comes last. */
function eventsOf({ email, remaining, skipped }: AddressedEmail) {
  const event = { email_id: email.id, company_id: email.companyId };
  const suppressed = skipped.map((skip) => ({ ...event, type: "suppressed", ...skip }));
  return remaining.length > 0 ? [...suppressed, { ...event, type: "sent" }] : suppressed;
}

const queueOf = ({ email: { id, companyId: company_id }, remaining }: AddressedEmail) =>
  remaining.map((recipient) => ({
    ...{ email_id: id, company_id, recipient, destination: addressDomain(recipient) },
  }));
