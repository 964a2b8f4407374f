import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  json,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/** A company's endpoint that events are posted to. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** An https URL, validated by `parseEndpoint` (server/core/webhooks). */
    endpoint: text().notNull(),
    /** The event types it subscribes to. */
    events: text().array().notNull(),
    status: text({ enum: ["enabled", "disabled"] })
      .notNull()
      .default("enabled"),
    /** `whsec_…`, encrypted with the instance key (server/core/shared/secrets). */
    sealedSecret: text().notNull(),
    /** Created with a test key: it receives the events of test emails, and no others. */
    isTest: boolean().notNull().default(false),
    /** Consecutive failed attempts, across all its events. */
    failures: integer().notNull().default(0),
    /** When the first of these failures happened; null after a success. */
    failingSince: moment(),
    /** When the owners were notified that it has been failing for a day; null after a success. */
    noticedAt: moment(),
    /** Set when it was disabled for its failures; null while enabled, and when an admin disabled it. */
    disabledForFailuresAt: moment(),
    createdAt: createdAt(),
  },
  (t) => [index("webhooks_company_newest_idx").on(t.companyId, t.createdAt, t.id)],
);

export const webhookEventStatus = pgEnum("webhook_event_status", [
  "pending",
  "attempting",
  "success",
  "failed",
]);

/**
 * An event for one webhook. The API shows its id as `msg_` and 32 hex digits.
 *
 * An event is due when `next_attempt_at` has passed, its webhook is enabled and no lease is active. A
 * worker leases an event by writing an id and an expiry time; if the worker dies, the lease expires and the
 * event is due again.
 */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    /** Random, since it is shown to receivers and created in bulk by SQL. */
    id: uuid()
      .primaryKey()
      .default(sql`gen_random_uuid()`),
    webhookId: uuid()
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    companyId: uuid().notNull(),
    type: text().notNull(),
    /** The exact body that is posted: type json preserves the text. */
    payload: json().$type<WebhookPayload>().notNull(),
    /** Created by `POST /webhooks/{id}/test`. */
    isTest: boolean().notNull().default(false),
    status: webhookEventStatus().notNull().default("pending"),
    /** Number of attempts, including replays. */
    attempts: integer().notNull().default(0),
    /** How many of the eight scheduled attempts are used. A replay uses none. */
    scheduled: smallint().notNull().default(0),
    /** The next attempt is a replay. */
    isReplay: boolean().notNull().default(false),
    /** Null if none is planned: delivered, or out of attempts. Unchanged while the webhook is disabled. */
    nextAttemptAt: moment(),
    leaseUntil: moment(),
    leaseOwner: uuid(),
    /** A lease expired, as in `outbox`. */
    wasAbandoned: boolean().notNull().default(false),
    /** When the event happened. */
    createdAt: createdAt(),
  },
  (t) => [
    // GET /webhooks/{id}/events: newest first.
    index("webhook_events_newest_idx").on(t.webhookId, t.createdAt, t.id),
    // Leasing: the events of each webhook that have waited longest.
    index("webhook_events_due_idx")
      .on(t.webhookId, t.nextAttemptAt, t.id)
      .where(sql`${t.nextAttemptAt} is not null`),
    // Counts pending test events; finds failed events to replay.
    index("webhook_events_waiting_tests_idx")
      .on(t.webhookId)
      .where(sql`${t.isTest} and ${t.nextAttemptAt} is not null`),
    index("webhook_events_failed_idx")
      .on(t.webhookId, t.createdAt, t.id)
      .where(sql`${t.status} = 'failed'`),
    // Retention scans from the oldest.
    index("webhook_events_oldest_idx").on(t.createdAt),
  ],
);

/** One attempt to deliver an event. The newest 50 of an event are kept. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    eventId: uuid()
      .notNull()
      .references(() => webhookEvents.id, { onDelete: "cascade" }),
    /** From 1. */
    number: integer().notNull(),
    /** Null without a response. */
    httpStatusCode: integer(),
    /** The start of the response, without the secret parts of the endpoint's URL. */
    response: text().notNull().default(""),
    /** Null on success. */
    error: text(),
    durationMs: integer().notNull(),
    sentAt: moment().notNull(),
  },
  (t) => [primaryKey({ name: "webhook_attempts_pkey", columns: [t.eventId, t.number] })],
);

/** The payload of an event, as receivers see it. */
export type WebhookPayload = { type: string; created_at: string; data: Record<string, unknown> };

export type Webhook = typeof webhooks.$inferSelect;
export type WebhookEvent = typeof webhookEvents.$inferSelect;
export type WebhookAttempt = typeof webhookAttempts.$inferSelect;
