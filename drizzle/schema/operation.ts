import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  inet,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";

/** The limits of a company. A company on a plan follows its changes. */
export const plans = pgTable(
  "plans",
  {
    id: id(),
    name: text().notNull(),
    /** Recipients per calendar month (UTC); null for no limit, also below. */
    monthlyAllowance: integer(),
    domainsMax: integer(),
    mailboxesMax: integer(),
    quotaMbMax: integer(),
    defaultQuotaMb: integer().notNull().default(5120),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("plans_name_key").on(sql`lower(${t.name})`)],
);

/**
 * Outgoing mail on hold by an operator: to a destination (a domain), or of a company. It isn't attempted
 * meanwhile.
 */
export const queueHolds = pgTable(
  "queue_holds",
  {
    id: id(),
    kind: text({ enum: ["destination", "company"] }).notNull(),
    /** The domain, or the company's id. */
    subject: text().notNull(),
    reason: text().notNull().default(""),
    /** The operator, for display. */
    heldBy: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("queue_holds_subject_key").on(t.kind, t.subject)],
);

/** Destinations that reject this machine, shown to operators; kept for a week. */
export const deliveryBlocks = pgTable("delivery_blocks", {
  /** The recipients' domain, or the smarthost. */
  destination: text().primaryKey(),
  host: text(),
  /** The server's reply. */
  reply: text().notNull(),
  firstSeenAt: createdAt(),
  lastSeenAt: createdAt(),
});

/** Live processes of the appliance, each with a regular heartbeat. Unlogged. */
export const processes = pgTable("processes", {
  id: uuid().primaryKey(),
  role: text({ enum: ["web", "worker", "mail"] }).notNull(),
  host: text().notNull(),
  pid: integer().notNull(),
  version: text().notNull(),
  /** What the process reports: memory, event loop delay, current work. */
  facts: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  startedAt: moment().notNull(),
  aliveUntil: moment().notNull(),
});

/** The last result of each system check, and whether one is running. */
export const systemChecks = pgTable("system_checks", {
  name: text().primaryKey(),
  /** Null until the first check completes. */
  state: text({ enum: ["ok", "warning", "failed", "unknown"] }),
  found: text().notNull().default(""),
  advice: text(),
  command: text(),
  startedAt: moment().notNull(),
  checkedAt: moment(),
});

export const mailLogKind = pgEnum("mail_log_kind", [
  "received",
  "refused",
  "submitted",
  "sign_in_failed",
]);

/** SMTP sessions with our listeners: one row for each recipient. Kept for some days. */
export const mailLog = pgTable(
  "mail_log",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    kind: mailLogKind().notNull(),
    companyId: uuid(),
    clientAddress: inet(),
    /** The client's name in EHLO. */
    helo: text(),
    sender: text(),
    recipient: text(),
    size: integer(),
    messageId: text(),
    /** Our reply, with its codes. */
    reply: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [index("mail_log_oldest_idx").on(t.createdAt)],
);

export type Plan = typeof plans.$inferSelect;
