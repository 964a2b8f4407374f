import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";

import { bytea, createdAt, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/**
 * An email that an inbound address received. Committed with its message before the sender gets a 250; the job
 * `parse_received` fills in what the message says.
 */
export const receivedEmails = pgTable(
  "received_emails",
  {
    /** Derived from the message, and from when it came, so that a repeated delivery finds it. */
    id: uuid().primaryKey(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Return path; "" for none. */
    sender: text().notNull(),
    /** The addresses that it was sent to and that an inbound address stands for. */
    receivedFor: text().array().notNull(),
    /** Size of the message, in octets. */
    size: integer().notNull(),
    /** Results of the checks on arrival; null for mail from this appliance, which isn't checked. */
    spf: text(),
    dkim: text(),
    dmarc: text(),
    isSpam: boolean().notNull().default(false),
    spamScore: real(),
    /** When it was parsed, and the API shows it. */
    parsedAt: moment(),
    /** Why its content couldn't be parsed, or what of it was left out. */
    problem: text(),
    headerFrom: text().notNull().default(""),
    to: text().array().notNull().default([]),
    cc: text().array().notNull().default([]),
    bcc: text().array().notNull().default([]),
    replyTo: text().array().notNull().default([]),
    subject: text().notNull().default(""),
    /** With its angle brackets. */
    messageId: text(),
    /** The sent email that it replies to. No foreign key: it may be deleted. */
    repliedEmailId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [
    // GET /emails/receiving: the newest entries first.
    index("received_emails_company_parsed_idx")
      .on(t.companyId, t.parsedAt, t.id)
      .where(sql`${t.parsedAt} is not null`),
    // What a company stores, and how much of it came in the last minute.
    index("received_emails_usage_idx").on(t.companyId, t.createdAt, t.size),
    // Retention scans from the oldest.
    index("received_emails_oldest_idx").on(t.createdAt),
  ],
);

/** The message with CRLF line ends and our trace fields on top, and what was parsed of it. */
export const receivedContents = pgTable("received_contents", {
  emailId: uuid()
    .primaryKey()
    .references(() => receivedEmails.id, { onDelete: "cascade" }),
  content: bytea().notNull(),
  headers: jsonb().$type<Record<string, string>>().notNull().default({}),
  text: text(),
  html: text(),
});

/** Attachments of received emails, decoded. */
export const receivedAttachments = pgTable(
  "received_attachments",
  {
    emailId: uuid()
      .notNull()
      .references(() => receivedEmails.id, { onDelete: "cascade" }),
    /** Position in the message, from 0. */
    position: smallint().notNull(),
    filename: text(),
    contentType: text().notNull(),
    /** Null if the message doesn't say. */
    isInline: boolean(),
    /** Without its angle brackets. */
    contentId: text(),
    content: bytea().notNull(),
  },
  (t) => [primaryKey({ name: "received_attachments_pkey", columns: [t.emailId, t.position] })],
);

export type ReceivedEmail = typeof receivedEmails.$inferSelect;
export type ReceivedAttachment = typeof receivedAttachments.$inferSelect;
