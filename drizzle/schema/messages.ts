import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgEnum,
  pgTable,
  real,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";

import { bytea, createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/**
 * - `submission`: from a mailbox user's mail app; `forward`, `vacation`: created by a mailbox's rules;
 * - `group`: a copy for the members of a group, or for a company's owners;
 * - `incoming`: from outside, for mailboxes that could not accept it at once, or released from quarantine;
 * - `report`: created by the appliance: a bounce message (RFC 3464), a request to a moderator.
 */
export const messageOrigin = pgEnum("message_origin", [
  "submission",
  "forward",
  "vacation",
  "group",
  "incoming",
  "report",
]);

/** A message that is sent as is, unlike an email of the API. Its bytes are in `message_contents`. */
export const messages = pgTable(
  "messages",
  {
    /** UUIDv7; the envelope sender contains it. */
    id: uuid().primaryKey(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    origin: messageOrigin().notNull(),
    /** The mailbox that sent, forwarded or replied. No foreign key: it may be deleted. */
    mailbox: text(),
    /** The group that it was posted to, or for a submission, the group in the return path. */
    groupAddress: text(),
    /** For a group's copies: the same for all copies of one post. */
    distributionId: uuid(),
    /** Return path as received: a bare address, or "" for none. */
    sender: text().notNull(),
    /** Whether bounce messages go to the sender. Never to one that may be forged. */
    isSenderTold: boolean().notNull(),
    /** The domain whose DKIM key signs it; null if it is sent as received. No foreign key. */
    signingDomainId: uuid(),
    /** For searches. */
    headerFrom: text().notNull().default(""),
    subject: text().notNull().default(""),
    messageId: text(),
    /** Octets. */
    size: integer().notNull(),
    recipientCount: integer().notNull(),
    /** The client's IP address; null for messages created here. */
    clientAddress: text(),
    /** ENVID and RET of RFC 3461. */
    envelopeId: text(),
    returnFull: boolean().notNull().default(true),
    createdAt: createdAt(),
  },
  (t) => [
    index("messages_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // What a mailbox has sent in the last hour.
    index("messages_mailbox_idx").on(t.mailbox, t.createdAt),
    index("messages_oldest_idx").on(t.createdAt),
    // Finds members that failed several times in a row.
    index("messages_group_idx")
      .on(t.groupAddress, t.createdAt)
      .where(sql`${t.groupAddress} is not null`),
    index("messages_distribution_idx")
      .on(t.distributionId)
      .where(sql`${t.distributionId} is not null`),
  ],
);

/** Whole messages with CRLF line ends. Deleted some days after the last recipient has an outcome. */
export const messageContents = pgTable("message_contents", {
  messageId: uuid()
    .primaryKey()
    .references(() => messages.id, { onDelete: "cascade" }),
  content: bytea().notNull(),
});

/** `held` waits for an admin; `dropped` was discarded by one. */
export const messageRecipientState = pgEnum("message_recipient_state", [
  "queued",
  "held",
  "delivered",
  "bounced",
  "dropped",
]);

/**
 * The recipients of messages with their outcomes: queue and history in one. A row is due when it is
 * `queued`, `next_attempt_at` has passed and no lease is active (as in `outbox`).
 */
export const messageRecipients = pgTable(
  "message_recipients",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    messageId: uuid()
      .notNull()
      .references(() => messages.id, { onDelete: "cascade" }),
    /** The message's. */
    companyId: uuid().notNull(),
    /** Bare address for RCPT TO. */
    recipient: text().notNull(),
    destination: text().notNull(),
    state: messageRecipientState().notNull().default("queued"),
    attempt: integer().notNull().default(0),
    nextAttemptAt: moment()
      .notNull()
      .default(sql`clock_timestamp()`),
    leaseUntil: moment(),
    /** These are as in `outbox`. */
    leaseOwner: uuid(),
    wasAbandoned: boolean().notNull().default(false),
    retryAskedAt: moment(),
    retriesFrom: moment(),
    /** Enhanced status code and server reply of the last attempt. */
    dsn: text(),
    reply: text(),
    /** How the connection of the last attempt was encrypted (`formatTls`); null for mailboxes here. */
    tls: text(),
    /** NOTIFY and ORCPT of RFC 3461; null: on failure. */
    notify: text().array(),
    originalRecipient: text(),
    /** When the sender was notified of a delay. */
    delayToldAt: moment(),
    settledAt: moment(),
    /** The bounce message about the failure, which also returns a forward or post. No foreign key. */
    reportId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [
    index("message_recipients_due_idx")
      .on(t.nextAttemptAt, t.id)
      .where(sql`${t.state} = 'queued' and ${t.leaseUntil} is null`),
    // Leasing: the companies in turn.
    index("message_recipients_turns_idx")
      .on(t.companyId, t.nextAttemptAt, t.id)
      .where(sql`${t.state} = 'queued' and ${t.leaseUntil} is null`),
    index("message_recipients_leased_idx")
      .on(t.leaseUntil)
      .where(sql`${t.leaseUntil} is not null`),
    index("message_recipients_held_idx")
      .on(t.messageId)
      .where(sql`${t.state} = 'held'`),
    index("message_recipients_message_idx").on(t.messageId),
    // The lists of outcomes, newest first: of all companies, and of one.
    index("message_recipients_settled_idx")
      .on(t.settledAt, t.id)
      .where(sql`${t.settledAt} is not null`),
    index("message_recipients_company_settled_idx")
      .on(t.companyId, t.settledAt, t.id)
      .where(sql`${t.settledAt} is not null`),
  ],
);

/**
 * Attempts that ended with a temporary failure, for the mail log: the recipient row only has the last one.
 * Deleted with the message.
 */
export const messageDelays = pgTable(
  "message_delays",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    messageId: uuid()
      .notNull()
      .references(() => messages.id, { onDelete: "cascade" }),
    /** The message's. */
    companyId: uuid().notNull(),
    recipient: text().notNull(),
    dsn: text().notNull(),
    /** The server's reply, or a description of the error. */
    reply: text().notNull(),
    /** As in `message_recipients`. */
    tls: text(),
    createdAt: createdAt(),
  },
  (t) => [
    index("message_delays_message_idx").on(t.messageId, t.id),
    // A company's mail log.
    index("message_delays_company_idx").on(t.companyId, t.id),
  ],
);

/** `spam`, `virus`: incoming, for an admin to review. `moderation`: to a group, for its moderators. */
export const quarantineReason = pgEnum("quarantine_reason", ["spam", "virus", "moderation"]);

/** A message that was accepted but is kept from its recipients until an admin or moderator decides. */
export const quarantine = pgTable(
  "quarantine",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    reason: quarantineReason().notNull(),
    /** Return path, "" for none. */
    sender: text().notNull(),
    /** The mailboxes it is addressed to, or the one group. */
    recipients: text().array().notNull(),
    headerFrom: text().notNull().default(""),
    subject: text().notNull().default(""),
    clientAddress: text(),
    score: real(),
    /** The reasons, strongest first: names of rspamd's symbols, or our own. */
    findings: text().array().notNull().default([]),
    size: integer().notNull(),
    /** Set while the released message awaits delivery. The row is deleted once every mailbox has it. */
    releasedAs: uuid().references(() => messages.id, { onDelete: "set null" }),
    createdAt: createdAt(),
  },
  (t) => [
    index("quarantine_released_idx")
      .on(t.releasedAs)
      .where(sql`${t.releasedAs} is not null`),
    index("quarantine_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    index("quarantine_oldest_idx").on(t.createdAt),
    // What a mailbox user sees.
    index("quarantine_recipients_idx").using("gin", t.recipients),
  ],
);

export const quarantineContents = pgTable("quarantine_contents", {
  quarantineId: uuid()
    .primaryKey()
    .references(() => quarantine.id, { onDelete: "cascade" }),
  content: bytea().notNull(),
});

/** Sender, recipient and network of past messages, for greylisting. */
export const greylist = pgTable(
  "greylist",
  {
    /** An IPv4 /24 or an IPv6 /64. */
    network: text().notNull(),
    sender: text().notNull(),
    recipient: text().notNull(),
    firstSeenAt: createdAt(),
    /** When the sender retried after the wait; null until then. */
    passedAt: moment(),
    lastSeenAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "greylist_pkey", columns: [t.network, t.sender, t.recipient] }),
    index("greylist_oldest_idx").on(t.lastSeenAt),
  ],
);

export type MessageRow = typeof messages.$inferSelect;
export type MessageOrigin = MessageRow["origin"];
export type MessageRecipient = typeof messageRecipients.$inferSelect;
export type Quarantined = typeof quarantine.$inferSelect;
