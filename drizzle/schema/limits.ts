import { sql } from "drizzle-orm";
import {
  bigint,
  date,
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

import { createdAt, id } from "./columns.ts";
import { companies } from "./companies.ts";

/** The API requests of a company: those of the last second, and those in progress by web process. Unlogged. */
export const companyTraffic = pgTable("company_traffic", {
  companyId: uuid()
    .primaryKey()
    .references(() => companies.id, { onDelete: "cascade" }),
  /** When requests of the last second were counted, in microseconds since 1970, ascending. */
  hits: bigint({ mode: "number" }).array().notNull().default([]),
  /** The number of requests at each of these times. */
  hitCounts: integer().array().notNull().default([]),
  /** Requests in progress by id of the web process. */
  inProgress: jsonb().$type<Record<string, number>>().notNull().default({}),
  /** The result of the last admission, for its own statement to return. */
  counted: integer().notNull().default(0),
  admitted: integer().notNull().default(0),
});

/** Request bodies over 2 MB in progress. Unlogged. */
export const largeBodies = pgTable("large_bodies", {
  id: id(),
  companyId: uuid()
    .notNull()
    .references(() => companies.id, { onDelete: "cascade" }),
  processId: uuid().notNull(),
});

/**
 * Running totals of recipients, one row for each company and one for the platform (the nil UUID). Changed
 * in the same transaction as the emails they count, with the row locked.
 */
export const sendingTotals = pgTable("sending_totals", {
  scope: uuid().primaryKey(),
  /** Sent in the last 60 minutes: the sum of `sending_seconds`. */
  hourRecipients: bigint({ mode: "number" }).notNull().default(0),
  /** First day of the calendar month (UTC) that `month_recipients` counts. */
  month: text().notNull().default(""),
  monthRecipients: bigint({ mode: "number" }).notNull().default(0),
  /** Recipients of pending scheduled emails. */
  scheduledRecipients: bigint({ mode: "number" }).notNull().default(0),
});

/** Recipients per second, for the rolling hour. */
export const sendingSeconds = pgTable(
  "sending_seconds",
  {
    scope: uuid().notNull(),
    /** Unix seconds. */
    second: bigint({ mode: "number" }).notNull(),
    recipients: integer().notNull(),
  },
  (t) => [primaryKey({ name: "sending_seconds_pkey", columns: [t.scope, t.second] })],
);

/**
 * Warm-ups: what new servers and domains may send to each mail provider grows from day to day (UTC). Workers reserve
 * parts of the day's quota here.
 */
export const warmUps = pgTable(
  "warm_ups",
  {
    /** `server`, `address mail2.example.com` for further addresses, or `domain example.com`. */
    subject: text().notNull(),
    /** `other` for all mail servers of unknown providers, `*` for the day since which the server has sent mail. */
    provider: text().notNull(),
    /** The first day. In the `*` row: `infinity` if it had sent nothing before. */
    startedOn: date({ mode: "string" }).notNull(),
    /** The day that `used` counts. */
    day: date({ mode: "string" }).notNull(),
    used: integer().notNull().default(0),
    /** The result of the last reservation, for its own statement to return. */
    granted: integer().notNull().default(0),
  },
  (t) => [primaryKey({ name: "warm_ups_pkey", columns: [t.subject, t.provider] })],
);

/** Idempotency keys of the last 24 hours, with the process that works on them, or the response. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** "POST /emails" */
    endpoint: text().notNull(),
    key: text().notNull(),
    /** Hex SHA-256 of the request. */
    bodyHash: text().notNull(),
    /** The web process that works on it; if it dies without a response, the key is free again. */
    processId: uuid().notNull(),
    /** Changes each time the key is locked. Null in rows written by versions before 0.1.0. */
    lockId: uuid(),
    /** The first response, written in the transaction of the change. */
    answer: jsonb().$type<unknown>(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "idempotency_keys_pkey", columns: [t.companyId, t.endpoint, t.key] }),
    index("idempotency_keys_oldest_idx").on(t.createdAt),
  ],
);

/** API requests with a valid key, and their responses. Never query strings; bodies are in `request_bodies`. */
export const requestLog = pgTable(
  "request_log",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    method: text().notNull(),
    /** The path as called, without query. */
    endpoint: text().notNull(),
    responseStatus: smallint().notNull(),
    /** The error's name, for a status of 400 or more. */
    error: text(),
    /** The error's message. */
    message: text(),
    durationMs: real(),
    /** The client's IP address. */
    clientAddress: text(),
    userAgent: text(),
    /** The key of the request; it may be revoked by now. */
    apiKeyId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [
    // The console's list, newest first.
    index("request_log_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // GET /logs, which leaves out requests that an allow-list blocked. They can be nearly all.
    index("request_log_api_newest_idx")
      .on(t.companyId, t.createdAt, t.id)
      .where(sql`${t.error} is distinct from 'ip_not_allowed'`),
    index("request_log_oldest_idx").on(t.createdAt),
    // The requests that an allow-list blocked, of a key.
    index("request_log_blocked_idx")
      .on(t.apiKeyId, t.createdAt)
      .where(sql`${t.error} = 'ip_not_allowed'`),
  ],
);

/** Bodies of the newest requests of each API key, for a day. Secrets and content are masked. Unlogged. */
export const requestBodies = pgTable(
  "request_bodies",
  {
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    apiKeyId: uuid().notNull(),
    requestId: uuid().notNull(),
    body: text().notNull(),
    /** As received, in bytes. */
    size: integer().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "request_bodies_pkey", columns: [t.apiKeyId, t.requestId] }),
    index("request_bodies_company_idx").on(t.companyId),
  ],
);

export type RequestLogEntry = typeof requestLog.$inferSelect;

/** Failed and running sign-in attempts, counted to slow down guessing. Kept for a day at most. */
export const signInAttempts = pgTable(
  "sign_in_attempts",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    /** The normalized name that was entered, whether or not it exists; the mailbox's address for one of its aliases. For starts of single sign-on, the provider's ID or `unknown`. */
    email: text().notNull(),
    /** The client: an IPv4 address, or the /64 of an IPv6 address; prefixed for starts of single sign-on, which have their own limit. */
    source: text().notNull(),
    /**
     * Bits of a keyed hash of the password: a mail app that repeats an old password isn't guessing. `refused` for an
     * attempt whose password wasn't checked. Null if unknown.
     */
    passwordMark: text(),
    /** Only of mail apps: with it, Dovecot's password query finds the attempt. */
    checkKey: text(),
    /** What Dovecot needn't check again: the mailbox password (`main`), an app password (`app:` and its ID), or `webmail`. */
    credential: text(),
    createdAt: createdAt(),
  },
  (t) => [
    index("sign_in_attempts_email_idx").on(t.email, t.createdAt),
    index("sign_in_attempts_source_idx").on(t.source, t.createdAt),
    // Dovecot's password query.
    index("sign_in_attempts_check_key_idx")
      .on(t.checkKey)
      .where(sql`${t.checkKey} is not null`),
    // Deletes attempts that are too old to count.
    index("sign_in_attempts_oldest_idx").on(t.createdAt),
  ],
);
