import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";

import { apiKeys } from "./api-keys.ts";
import { bytea, createdAt, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/** Every type an entry of an email's history can have. `queued` is the state between due time and hand-over. */
export const emailEventType = pgEnum("email_event_type", [
  "scheduled",
  "queued",
  "sent",
  "delivered",
  "delivery_delayed",
  "bounced",
  "failed",
  "canceled",
  "suppressed",
  "opened",
  "clicked",
]);

/** An email accepted through the API. What it says is in `email_bodies`, what became of it in `email_events`. */
export const emails = pgTable(
  "emails",
  {
    /** UUIDv7, made by the application: the Message-ID contains it. */
    id: uuid().primaryKey(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** No foreign key: it names nothing once the domain is deleted, and deleting one does not touch its emails. */
    domainId: uuid(),
    apiKeyId: uuid().references(() => apiKeys.id, { onDelete: "set null" }),
    /** `<id@domain>`, or the Message-ID that an email submitted over SMTP already had; null until handed over. */
    messageId: text(),
    /** As the caller wrote it, with display name. */
    from: text().notNull(),
    subject: text().notNull(),
    /** Bare lowercase addresses. */
    to: text().array().notNull(),
    cc: text().array().notNull().default([]),
    bcc: text().array().notNull().default([]),
    replyTo: text().array().notNull().default([]),
    tags: jsonb().$type<{ name: string; value: string }[]>().notNull().default([]),
    /** The type of the newest entry of the history. */
    lastEvent: emailEventType().notNull(),
    createdAt: createdAt(),
    /** When it was handed to the outbox. */
    sentAt: moment(),
    /** When a scheduled email is or was due, as asked for. */
    scheduledAt: moment(),
    /** When the scheduler looks at it next; null unless it is scheduled and waits. */
    dueAt: moment(),
    /** The types its history has, as a set of bits (server/core/sending/events/event-type-bits.ts): what metrics count. */
    eventTypes: integer().notNull().default(0),
    /** The moment that places it in metrics. */
    placedAt: timestamp({ withTimezone: true, precision: 6, mode: "string" })
      .notNull()
      .generatedAlwaysAs(sql`coalesce(sent_at, created_at)`),
    /** As the domain had it when the email was handed over: its message is made that way in every attempt. */
    openTracking: boolean().notNull().default(false),
    clickTracking: boolean().notNull().default(false),
    /** Octets of bodies and attachments, about: what a claim takes into memory. */
    size: integer().notNull().default(0),
  },
  (t) => [
    // GET /emails: newest first, keyset on (created_at, id). Read backwards, like the index of every list:
    // an index that is declared descending ends with nulls, and the list's order does not.
    index("emails_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // GET /emails/metrics, which reads nothing else as long as vacuum keeps up: the migration has it
    // come after 2 % of changes.
    index("emails_metrics_idx").on(t.companyId, t.placedAt, t.domainId, t.eventTypes),
    // The scheduler: what is due, oldest first.
    index("emails_due_idx")
      .on(t.dueAt, t.id)
      .where(sql`${t.dueAt} is not null`),
    // The scheduled emails of a key that is revoked.
    index("emails_key_due_idx")
      .on(t.apiKeyId)
      .where(sql`${t.dueAt} is not null`),
  ],
);

/** What an email says. Cleared three days after sending, while the email itself stays. */
export const emailBodies = pgTable(
  "email_bodies",
  {
    emailId: uuid()
      .primaryKey()
      .references(() => emails.id, { onDelete: "cascade" }),
    /** The header fields `To`, `Cc` and `Reply-To` as they appear in the message, with display names. */
    addressHeaders: jsonb().$type<AddressHeaders>().notNull(),
    html: text(),
    /** As given by the caller: null when omitted (a part is then generated from html), "" when none is wanted. */
    text: text(),
    headers: jsonb().$type<Record<string, string>>().notNull().default({}),
    /**
     * The whole message of an email submitted over SMTP, sent as written. Null for emails composed from the
     * other columns.
     */
    source: bytea(),
    createdAt: createdAt(),
  },
  // Retention walks from the oldest.
  (t) => [index("email_bodies_oldest_idx").on(t.createdAt)],
);

/** Files of an email, decoded. They go when its body goes. */
export const emailAttachments = pgTable(
  "email_attachments",
  {
    emailId: uuid()
      .notNull()
      .references(() => emails.id, { onDelete: "cascade" }),
    /** Place in the message, from 0. */
    position: smallint().notNull(),
    filename: text(),
    contentType: text(),
    /** Set for an inline file, which the HTML shows as `cid:<contentId>`. */
    contentId: text(),
    content: bytea().notNull(),
  },
  (t) => [primaryKey({ name: "email_attachments_pkey", columns: [t.emailId, t.position] })],
);

/** One header address: its display name and the address. `written` keeps the original case where it isn't lowercase. */
export type HeaderAddress = { name: string; address: string; written?: string };
export type AddressHeaders = {
  from: HeaderAddress;
  to: HeaderAddress[];
  cc: HeaderAddress[];
  /** Only those that aren't lowercase: no field of the message. */
  bcc?: HeaderAddress[];
  replyTo: HeaderAddress[];
};

/** The history of an email: one row per thing that happened, never changed afterwards. */
export const emailEvents = pgTable(
  "email_events",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    emailId: uuid()
      .notNull()
      .references(() => emails.id, { onDelete: "cascade" }),
    companyId: uuid().notNull(),
    type: emailEventType().notNull(),
    /** The recipient concerned; null for events of the whole email. */
    recipient: text(),
    /** Enhanced status code (RFC 3463) of a delivery outcome. */
    dsn: text(),
    /** The receiving server's own words. */
    message: text(),
    /** Why it failed, was canceled or a recipient was suppressed. */
    reason: text(),
    link: text(),
    ipAddress: text(),
    userAgent: text(),
    createdAt: createdAt(),
  },
  (t) => [
    // GET /emails/{id}/events, and the ledger's look-up of each recipient's outcome.
    index("email_events_email_idx").on(t.emailId, t.id),
    // Whether an open or a click was recorded within the last minute. Sending writes nothing to it.
    index("email_events_tracked_idx")
      .on(t.emailId, t.type, t.createdAt)
      .where(sql`${t.type} in ('opened', 'clicked')`),
  ],
);

/**
 * What still has to be delivered: one row per recipient, gone when the recipient has an outcome.
 *
 * A row is due when `next_attempt_at` has passed and nobody holds its lease. A worker that takes it
 * writes itself and an end into the lease and renews it while it works; when the worker dies, the
 * lease runs out and the row is due again. Outcomes are written only by the lease's owner. A row whose
 * `next_attempt_at` is `infinity` is held by an operator (`queue_holds`).
 */
export const outbox = pgTable(
  "outbox",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    emailId: uuid()
      .notNull()
      .references(() => emails.id, { onDelete: "cascade" }),
    /** The email's, for who looks at all that waits. Null in rows older than the column. */
    companyId: uuid(),
    /** Bare address for RCPT TO. */
    recipient: text().notNull(),
    /** The recipient's domain: what deliveries are grouped and limited by. */
    destination: text().notNull(),
    /** Attempts that ended with a temporary failure. */
    attempt: integer().notNull().default(0),
    nextAttemptAt: moment()
      .notNull()
      .default(sql`clock_timestamp()`),
    leaseUntil: moment(),
    leaseOwner: uuid(),
    /** When the recipient was put in the queue: 48 hours later it is given up. */
    createdAt: createdAt(),
  },
  (t) => [
    // The claim: oldest due first among rows nobody holds.
    index("outbox_due_idx")
      .on(t.nextAttemptAt, t.id)
      .where(sql`${t.leaseUntil} is null`),
    // The reaper: leases that ran out.
    index("outbox_leased_idx")
      .on(t.leaseUntil)
      .where(sql`${t.leaseUntil} is not null`),
    index("outbox_email_idx").on(t.emailId),
  ],
);

export type Email = typeof emails.$inferSelect;
export type EmailBody = typeof emailBodies.$inferSelect;
export type EmailAttachment = typeof emailAttachments.$inferSelect;
export type EmailEvent = typeof emailEvents.$inferSelect;
export type EmailEventType = EmailEvent["type"];
export type OutboxRow = typeof outbox.$inferSelect;
