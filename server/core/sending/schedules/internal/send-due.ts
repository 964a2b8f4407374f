import { sql } from "drizzle-orm";

import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import {
  insertEvents,
  insertOutboxRows,
  QUEUED_COLUMN_TYPES,
  queuedColumns,
  type QueuedEmail,
  queuedEvents,
  sentAt,
} from "#server/core/sending/outbox/queue-rows.ts";
import type { Db } from "#server/db/client.ts";

import type { AddressedEmail } from "./split-recipients.ts";

/**
 * Moves due emails to the outbox, in the caller's transaction. One without remaining recipients ends as
 * suppressed.
 */
export async function sendDue(db: Db, due: AddressedEmail[]): Promise<void> {
  if (due.length === 0) return;
  const companies = due.map(({ email }) => email.companyId);
  const isBatch = (companyId: string) =>
    companies.indexOf(companyId) !== companies.lastIndexOf(companyId);
  const queued = due.map((email) => toQueued(email, isBatch(email.email.companyId)));
  const changes = queued.map((email) => ({ id: email.id, ...queuedColumns(email) }));
  // The statements' texts don't depend on the number of rows, so each is prepared once.
  await db.execute(sql`
    update emails set due_at = null, message_id = given.message_id, last_event = given.last_event,
      event_types = emails.event_types | given.event_types, sent_at = ${sentAt("given")},
      open_tracking = given.open_tracking, click_tracking = given.click_tracking
    from json_to_recordset(${JSON.stringify(changes)}::json) as given(id uuid, ${QUEUED_COLUMN_TYPES})
    where emails.id = given.id`);
  await db.execute(sql`
    with events as (${insertEvents(queued.flatMap(queuedEvents))} returning *)
    ${publishEmailEvents("events", "emails")}`);
  await db.execute(insertOutboxRows(queued));
}

/** @param isBatch whether the company has several due emails */
function toQueued({ email, remaining, skipped }: AddressedEmail, isBatch: boolean): QueuedEmail {
  const { id, companyId, domain, size, isTest } = email;
  if (!domain)
    throw new Error(`The domain of due email ${id} is gone, although it was checked before`);
  return { id, companyId, domain, size, isBatch, isTest, remaining, skipped };
}
