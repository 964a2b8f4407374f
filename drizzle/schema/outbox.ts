import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, moment } from "./columns.ts";
import { emails } from "./emails.ts";

/**
 * Pending deliveries: one row per recipient, deleted once the recipient has an outcome.
 *
 * A row is due when `next_attempt_at` has passed and no lease is active. A worker leases a row by writing
 * its id and an expiry time, and renews the lease while it works; if the worker dies, the lease expires and
 * the row is due again at once, and after the second time like after a temporary failure, in case the row kills the workers. Only the lease's owner can record an outcome. A row whose `next_attempt_at` is
 * `infinity` is on hold (`queue_holds`).
 */
export const outbox = pgTable(
  "outbox",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    emailId: uuid()
      .notNull()
      .references(() => emails.id, { onDelete: "cascade" }),
    /** Copied from the email, for queries over the whole queue. Null in rows older than the column. */
    companyId: uuid(),
    /** Bare address for RCPT TO. */
    recipient: text().notNull(),
    /** The recipient's domain, by which deliveries are grouped and limited; `TEST_DESTINATION` for test emails. */
    destination: text().notNull(),
    /** Which of a company's recipients are leased first: see `outboxPriority`. */
    priority: smallint().notNull().default(0),
    /** Attempts that ended with a temporary failure. */
    attempt: integer().notNull().default(0),
    nextAttemptAt: moment()
      .notNull()
      .default(sql`clock_timestamp()`),
    leaseUntil: moment(),
    /** Null without a lease, and while the worker lets its lease expire on purpose. */
    leaseOwner: uuid(),
    /** A lease expired: the worker died, perhaps of this email. */
    wasAbandoned: boolean().notNull().default(false),
    /** When an admin last asked to retry it now, which ends earlier suspensions of its destination. */
    retryAskedAt: moment(),
    /** When it waits for a warm-up: the time until which, from which `retry_hours_email` counts. */
    retriesFrom: moment(),
    /** When the recipient was queued: it bounces 48 hours later. */
    createdAt: createdAt(),
  },
  (t) => [
    // Leasing: oldest due first among rows without a lease.
    index("outbox_due_idx")
      .on(t.nextAttemptAt, t.id)
      .where(sql`${t.leaseUntil} is null`),
    // Leasing: the companies in turn, each by priority.
    index("outbox_turns_idx")
      .on(t.companyId, t.priority, t.nextAttemptAt, t.id)
      .where(sql`${t.leaseUntil} is null`),
    // Finds expired leases.
    index("outbox_leased_idx")
      .on(t.leaseUntil)
      .where(sql`${t.leaseUntil} is not null`),
    index("outbox_email_idx").on(t.emailId),
  ],
);

export type OutboxRow = typeof outbox.$inferSelect;

/**
 * Cached MTA-STS policies (RFC 8461) of recipient domains. Stored so that a known policy survives restarts:
 * it applies until it expires, whatever the DNS says meanwhile.
 */
export const mtaStsPolicies = pgTable("mta_sts_policies", {
  /** The recipient domain, lowercase A-labels. */
  domain: text().primaryKey(),
  /** The `id` of the TXT record when the policy was fetched. */
  policyId: text().notNull(),
  mode: text({ enum: ["enforce", "testing", "none"] }).notNull(),
  /** Patterns of mail servers: names, or `*.` and a name. */
  mx: text().array().notNull(),
  maxAgeSeconds: integer().notNull(),
  expiresAt: moment().notNull(),
});

export type MtaStsPolicy = typeof mtaStsPolicies.$inferSelect;
