import { sql } from "drizzle-orm";
import {
  bigint,
  doublePrecision,
  index,
  inet,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
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

/**
 * The limits of destinations, learned from their replies. Stored for restarts and for other workers, and kept for
 * half a day.
 */
export const destinationLimits = pgTable("destination_limits", {
  /** A mail provider, a set of mail servers (`mx …`) or a recipient domain (`domain …`). */
  key: text().primaryKey(),
  throttle: text({ enum: ["connections", "rate", "reputation", "block"] }).notNull(),
  /** The server's reply and its enhanced status code. */
  reply: text().notNull(),
  dsn: text().notNull(),
  host: text(),
  changedAt: moment().notNull(),
  suspendedUntil: moment().notNull(),
  /** Suspensions in a row. */
  level: integer().notNull(),
  /** When the suspension ends; both grow from there. Null for no limit. */
  connections: integer(),
  perMinute: doublePrecision(),
});

/**
 * Processes of the appliance, each with a regular heartbeat. What a process holds (requests in progress, large bodies,
 * idempotency keys) counts only while its heartbeat is recent. Unlogged.
 */
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

/** Runs of `posthouse backup`, kept for a year. */
export const backups = pgTable(
  "backups",
  {
    id: id(),
    /** The destination, without credentials. */
    repository: text().notNull(),
    startedAt: createdAt(),
    /** Null while it runs, and forever if the run was killed. */
    finishedAt: moment(),
    /** When a copy restored from it passed all checks (verification). */
    provedAt: moment(),
    /** Why the backup or its verification failed. */
    error: text(),
    messages: integer(),
    /** Size of the database and the mail; new data in the repository, before compression. */
    totalBytes: bigint({ mode: "number" }),
    addedBytes: bigint({ mode: "number" }),
    /** What was verified, for display. */
    proof: text(),
  },
  // The last runs.
  (t) => [index("backups_started_at_idx").on(t.startedAt)],
);

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
  (t) => [
    index("mail_log_oldest_idx").on(t.createdAt),
    index("mail_log_company_idx").on(t.companyId, t.createdAt, t.id),
  ],
);

/**
 * Counters and histograms of all processes, as `/metrics` shows them. Processes add to them every few seconds.
 * Unlogged.
 */
export const metricTotals = pgTable(
  "metric_totals",
  {
    name: text().notNull(),
    /** JSON with sorted keys. */
    labels: text().notNull(),
    value: doublePrecision().notNull(),
  },
  (t) => [primaryKey({ name: "metric_totals_pkey", columns: [t.name, t.labels] })],
);

/** Alarms raised by the watcher. Kept for 90 days after they are cleared. */
export const alarms = pgTable(
  "alarms",
  {
    id: id(),
    /** `queue_age`, `disk`, `deferred:example.com`. */
    name: text().notNull(),
    severity: text({ enum: ["warning", "critical"] }).notNull(),
    /** One sentence: what is wrong. */
    found: text().notNull(),
    /** What to do. */
    advice: text().notNull(),
    raisedAt: createdAt(),
    /** When the watcher last found it. */
    seenAt: createdAt(),
    /** Null while it is raised. */
    clearedAt: moment(),
  },
  (t) => [
    uniqueIndex("alarms_raised_key")
      .on(t.name)
      .where(sql`${t.clearedAt} is null`),
    // The newest alarms, and retention.
    index("alarms_newest_idx").on(t.raisedAt),
  ],
);

/** Messages about alarms that still have to reach a channel, one row per message and channel. */
export const alarmMessages = pgTable(
  "alarm_messages",
  {
    id: id(),
    /** `slack`: anything that takes a JSON object with `text`. */
    channel: text({ enum: ["email", "webhook", "ntfy", "slack"] }).notNull(),
    message: jsonb().$type<Record<string, unknown>>().notNull(),
    attempt: integer().notNull().default(0),
    nextAttemptAt: createdAt(),
    createdAt: createdAt(),
  },
  (t) => [index("alarm_messages_due_idx").on(t.nextAttemptAt)],
);

/** Periodic work of the watcher, done by one process at a time: when it last ran, and what it found. */
export const watchRounds = pgTable("watch_rounds", {
  /** `alarms`, `deferring`, `ledger`, `summary`. */
  name: text().primaryKey(),
  startedAt: moment().notNull(),
  finishedAt: moment(),
  result: jsonb().$type<Record<string, unknown>>().notNull().default({}),
});

export type Alarm = typeof alarms.$inferSelect;
export type Plan = typeof plans.$inferSelect;
