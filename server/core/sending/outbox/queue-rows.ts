import { asc, eq, type SQL, sql } from "drizzle-orm";

import { emailAttachments, emailBodies, type EmailEventType } from "#drizzle/schema/index.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { createWake } from "#server/core/shared/wake.ts";
import type { Db } from "#server/db/client.ts";
import { textSafeJson } from "#server/db/text-safe-json.ts";

// Everything that is written when an email is queued, whether it was just accepted or is a scheduled one that
// came due. The accepting statement and the scheduler differ only in how they write the row of `emails`.

/** An email to queue, with its recipients checked against the suppression list. */
export type QueuedEmail = {
  id: string;
  companyId: string;
  domain: { name: string; openTracking: boolean; clickTracking: boolean };
  /** Approximate octets of bodies and attachments. */
  size: number;
  /** Whether it was accepted together with others. */
  isBatch: boolean;
  isTest: boolean;
  /** Recipients to send to, each once. If there are none, the email ends as suppressed. */
  remaining: string[];
  skipped: { recipient: string; reason: string }[];
};

/**
 * The `emails` columns to update when an email is queued or ends as suppressed.
 *
 * @param ownMessageId of an email submitted over SMTP
 */
export function queuedColumns(
  { id, domain, remaining, skipped }: QueuedEmail,
  ownMessageId?: string,
) {
  const isSent = remaining.length > 0;
  const state: EmailEventType = isSent ? "sent" : "suppressed";
  return {
    message_id: isSent ? (ownMessageId ?? `<${id}@${domain.name}>`) : null,
    last_event: state,
    event_types: eventBits(skipped.length > 0 ? [state, "suppressed"] : [state]),
    open_tracking: isSent && domain.openTracking,
    click_tracking: isSent && domain.clickTracking,
  };
}

/** The columns of `queuedColumns` and their types, for json_to_recordset. */
export const QUEUED_COLUMN_TYPES = sql.raw(
  "message_id text, last_event email_event_type, event_types int, open_tracking boolean, click_tracking boolean",
);

/**
 * `sent_at` of an email: when it was queued, which is the Date of its message.
 *
 * @param given the relation with its `queuedColumns`
 */
export const sentAt = (given: string): SQL =>
  sql.raw(`case when ${given}.message_id is not null then clock_timestamp() end`);

type EventRow = {
  email_id: string;
  company_id: string;
  type: EmailEventType;
  recipient: string | null;
  reason: string | null;
};

/** The events of an email that is queued or suppressed. The newest decides its state, so `sent` comes last. */
export function queuedEvents({ id, companyId, remaining, skipped }: QueuedEmail): EventRow[] {
  const event = { email_id: id, company_id: companyId };
  const suppressed = skipped.map((skip) => ({ ...event, type: "suppressed" as const, ...skip }));
  if (remaining.length === 0) return suppressed;
  return [...suppressed, { ...event, type: "sent", recipient: null, reason: null }];
}

/** Inserts events in their order. Its text doesn't depend on their number, so it is prepared once. */
export const insertEvents = (rows: EventRow[]): SQL => sql`
  insert into email_events (email_id, company_id, type, recipient, reason)
  select * from json_to_recordset(${textSafeJson(rows)}::json)
    as t(email_id uuid, company_id uuid, type email_event_type, recipient text, reason text)`;

/** Inserts an outbox row for each remaining recipient, prepared once like `insertEvents`. */
export const insertOutboxRows = (emails: QueuedEmail[]): SQL => sql`
  insert into outbox (email_id, company_id, recipient, destination, priority)
  select * from json_to_recordset(${textSafeJson(emails.flatMap(outboxRows))}::json)
    as t(email_id uuid, company_id uuid, recipient text, destination text, priority int)`;

/** The destination of test emails, which shares no limits with that of live ones. */
export const TEST_DESTINATION = "test-mode.invalid";

const outboxRows = ({ id, companyId, size, isBatch, isTest, remaining }: QueuedEmail) =>
  remaining.map((recipient) => ({
    email_id: id,
    company_id: companyId,
    recipient,
    destination: isTest ? TEST_DESTINATION : addressDomain(recipient),
    priority: outboxPriority({ size, isBatch }),
  }));

/** Loads the message of an email submitted over SMTP; null for other emails. Up to 35 MB. */
export async function loadSource(db: Db, emailId: string): Promise<Buffer | null> {
  const [found] = await db
    .select({ source: emailBodies.source })
    .from(emailBodies)
    .where(eq(emailBodies.emailId, emailId));
  return found?.source ?? null;
}

export type StoredAttachment = {
  filename: string | null;
  contentType: string | null;
  contentId: string | null;
  content: Buffer;
};

/** Loads the attachments of an email in message order. Up to 20 MB, so load one email at a time. */
export async function loadAttachments(db: Db, emailId: string): Promise<StoredAttachment[]> {
  return db
    .select({
      filename: emailAttachments.filename,
      contentType: emailAttachments.contentType,
      contentId: emailAttachments.contentId,
      content: emailAttachments.content,
    })
    .from(emailAttachments)
    .where(eq(emailAttachments.emailId, emailId))
    .orderBy(asc(emailAttachments.position));
}

/** Emails above this size have their own memory budget: a few of them would fill it. */
export const HEAVY_BYTES = 1024 * 1024;

/** In the order in which a company's recipients are leased. */
export const PRIORITIES = { single: 0, batch: 1, heavy: 2 };

/**
 * A company's single emails, such as password resets, go before its batches. Heavy emails are apart, so that they don't
 * fill a lease that has room for light ones only.
 */
function outboxPriority({ size, isBatch }: { size: number; isBatch: boolean }): number {
  if (size > HEAVY_BYTES) return PRIORITIES.heavy;
  return isBatch ? PRIORITIES.batch : PRIORITIES.single;
}

/** Postgres channel that notifies the pump of due rows. */
export const OUTBOX_CHANNEL = "outbox";

/** Makes the pump check the outbox now. It also looks when the next row is due, and every half minute. */
export const wakePump = createWake(OUTBOX_CHANNEL);
