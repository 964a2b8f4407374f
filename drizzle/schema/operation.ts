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

/** What a company may use; a company on a plan has its figures, which follow when the plan changes. */
export const plans = pgTable(
  "plans",
  {
    id: id(),
    name: text().notNull(),
    /** Recipients per calendar month (UTC); null for any number, as below. */
    monthlyAllowance: integer(),
    domainsMax: integer(),
    mailboxesMax: integer(),
    quotaMbMax: integer(),
    defaultQuotaMb: integer().notNull().default(5120),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("plans_name_key").on(sql`lower(${t.name})`)],
);

/** Mail that an operator holds back: to a destination (a domain), or of a company. Nothing of it is tried meanwhile. */
export const queueHolds = pgTable(
  "queue_holds",
  {
    id: id(),
    kind: text({ enum: ["destination", "company"] }).notNull(),
    /** The domain, or the company's id. */
    subject: text().notNull(),
    reason: text().notNull().default(""),
    /** Who, as a person reads it. */
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

/** The appliance's processes that live, each of which says so every few seconds. Unlogged. */
export const processes = pgTable("processes", {
  id: uuid().primaryKey(),
  role: text({ enum: ["web", "worker", "mail"] }).notNull(),
  host: text().notNull(),
  pid: integer().notNull(),
  version: text().notNull(),
  /** What it says of itself: memory, delays, what it does at the moment. */
  facts: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  startedAt: moment().notNull(),
  aliveUntil: moment().notNull(),
});

/** What was last found about each part of the appliance, and whether somebody looks at the moment. */
export const systemChecks = pgTable("system_checks", {
  name: text().primaryKey(),
  /** Null while nobody has looked to the end. */
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

/** What others said to our SMTP listeners, and what was answered: one row for each recipient. Kept for some days. */
export const mailLog = pgTable(
  "mail_log",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    kind: mailLogKind().notNull(),
    companyId: uuid(),
    clientAddress: inet(),
    /** What the client called itself. */
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
