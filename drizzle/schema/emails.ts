import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { apiKeys } from "./api-keys.ts";
import { bytea, createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";
import { emailEventType, type EmailState } from "./email-event-type.ts";

/** An email accepted through the API. Its content is in `email_bodies`, its history in `email_events`. */
export const emails = pgTable(
  "emails",
  {
    /** UUIDv7 created by the application, since the Message-ID contains it. */
    id: uuid().primaryKey(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** No foreign key: deleting a domain keeps its emails unchanged. */
    domainId: uuid(),
    apiKeyId: uuid().references(() => apiKeys.id, { onDelete: "set null" }),
    /**
     * The admin who sent it from the console, perhaps removed since; null if an API key or the appliance did.
     * No foreign key: its check would wait for the admin's row while accepting holds the totals' locks.
     */
    sentByAdminId: uuid(),
    /** `<id@domain>`, or the Message-ID that an email submitted over SMTP already had; null until queued. */
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
    /** The type of the newest entry of the history that is a state. */
    lastEvent: emailEventType().$type<EmailState>().notNull(),
    createdAt: createdAt(),
    /** When it was added to the outbox. */
    sentAt: moment(),
    /** The requested time of a scheduled email. */
    scheduledAt: moment(),
    /** When the scheduler checks it next; null unless it is scheduled and pending. */
    dueAt: moment(),
    /** The event types of its history as a bit set (server/core/sending/events/email-events.ts), for metrics. */
    eventTypes: integer().notNull().default(0),
    /** The time that metrics count it at. */
    placedAt: timestamp({ withTimezone: true, precision: 6, mode: "string" })
      .notNull()
      .generatedAlwaysAs(sql`coalesce(sent_at, created_at)`),
    /** The domain's setting when the email was queued; every attempt uses it. */
    openTracking: boolean().notNull().default(false),
    clickTracking: boolean().notNull().default(false),
    /** Approximate octets of bodies and attachments: the memory that a lease takes. */
    size: integer().notNull().default(0),
    /** Sent with a test key: its delivery is simulated, and it is excluded from quotas and live metrics. */
    isTest: boolean().notNull().default(false),
  },
  (t) => [
    // GET /emails: newest first, keyset on (created_at, id). Read backwards, like the index of every list:
    // an index that is declared descending sorts nulls last, unlike the list's order.
    index("emails_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // GET /emails/metrics, an index-only scan as long as vacuum keeps up: the migration makes it run after
    // 2 % of changes.
    index("emails_metrics_idx").on(t.companyId, t.placedAt, t.domainId, t.eventTypes),
    // The same list for test emails. Partial index: test emails are rare.
    index("emails_test_newest_idx")
      .on(t.companyId, t.createdAt, t.id)
      .where(sql`${t.isTest}`),
    // The scheduler: due emails, oldest first.
    index("emails_due_idx")
      .on(t.dueAt, t.id)
      .where(sql`${t.dueAt} is not null`),
    // The scheduled emails of a revoked key.
    index("emails_key_due_idx")
      .on(t.apiKeyId)
      .where(sql`${t.dueAt} is not null`),
  ],
);

/** The content of an email. Cleared three days after sending, while the email itself stays. */
export const emailBodies = pgTable(
  "email_bodies",
  {
    emailId: uuid()
      .primaryKey()
      .references(() => emails.id, { onDelete: "cascade" }),
    /** The header fields `To`, `Cc` and `Reply-To` as they appear in the message, with display names. */
    addressHeaders: jsonb().$type<AddressHeaders>().notNull(),
    html: text(),
    /** As given by the caller: null if omitted (generated from html), "" for no text part. */
    text: text(),
    headers: jsonb().$type<Record<string, string>>().notNull().default({}),
    /** The message of an email submitted over SMTP, sent as written. Null for emails composed from the other columns. */
    source: bytea(),
    createdAt: createdAt(),
  },
  // Retention scans from the oldest.
  (t) => [index("email_bodies_oldest_idx").on(t.createdAt)],
);

/** Attachments of an email, decoded. Deleted with its body. */
export const emailAttachments = pgTable(
  "email_attachments",
  {
    emailId: uuid()
      .notNull()
      .references(() => emails.id, { onDelete: "cascade" }),
    /** Position in the message, from 0. */
    position: smallint().notNull(),
    filename: text(),
    contentType: text(),
    /** Set for an inline attachment, which the HTML references as `cid:<contentId>`. */
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
  /** Only addresses that aren't lowercase. Never part of the message. */
  bcc?: HeaderAddress[];
  replyTo: HeaderAddress[];
};

/** The history of an email: one immutable row per event. */
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
    /** The receiving server's reply. */
    message: text(),
    /** Why it failed, was canceled or a recipient was suppressed. */
    reason: text(),
    /** How the connection was encrypted, or why not (`formatTls`); null for mailboxes here and other events. */
    tls: text(),
    /** The server that accepted it, by name and IP address, for receipts. Null for mailboxes here and other events. */
    server: text(),
    serverAddress: text(),
    /** SHA-256 of the message that a delivery sent. */
    messageHash: bytea(),
    link: text(),
    ipAddress: text(),
    userAgent: text(),
    /** The Message-ID of a reply, with its angle brackets. */
    replyMessageId: text(),
    createdAt: createdAt(),
  },
  (t) => [
    // GET /emails/{id}/events, and the ledger's lookup of each recipient's outcome.
    index("email_events_email_idx").on(t.emailId, t.id),
    // A company's mail log. Its condition is that of `SHOWN` in list-outgoing.ts.
    index("email_events_company_idx")
      .on(t.companyId, t.id)
      .where(
        sql`${t.type} in ('delivered', 'delivery_delayed', 'bounced', 'failed', 'suppressed')`,
      ),
    // Whether an open or a click was recorded within the last minute. Sending doesn't write to it.
    index("email_events_tracked_idx")
      .on(t.emailId, t.type, t.createdAt)
      .where(sql`${t.type} in ('opened', 'clicked')`),
  ],
);

export type Email = typeof emails.$inferSelect;

export type EmailBody = typeof emailBodies.$inferSelect;

export type EmailAttachment = typeof emailAttachments.$inferSelect;

export type EmailEvent = typeof emailEvents.$inferSelect;

export type EmailEventType = EmailEvent["type"];

/** An address that the company's emails skip because it bounced, complained, unsubscribed or was added manually. */
export const suppressions = pgTable(
  "suppressions",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Lowercase. */
    email: text().notNull(),
    origin: text({ enum: ["bounce", "complaint", "manual", "unsubscribe"] }).notNull(),
    /** The email that bounced, drew the complaint or was unsubscribed from. No foreign key: the email may be deleted. */
    sourceId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("suppressions_company_email_key").on(t.companyId, t.email),
    // GET /suppressions: newest first.
    index("suppressions_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    check("suppressions_email_lowercase", sql`${t.email} = lower(${t.email})`),
  ],
);

export type Suppression = typeof suppressions.$inferSelect;
