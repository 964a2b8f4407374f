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

/** An endpoint of a company's own that events are posted to. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** An https URL, as `readEndpoint` (server/core/webhooks) lets through. */
    endpoint: text().notNull(),
    /** Event types it subscribes to. */
    events: text().array().notNull(),
    status: text({ enum: ["enabled", "disabled"] })
      .notNull()
      .default("enabled"),
    /** `whsec_…`, sealed with the instance key (server/core/shared/secrets). */
    sealedSecret: text().notNull(),
    /** Failed attempts in a row, across all its events. */
    failures: integer().notNull().default(0),
    /** When the first of these failures happened; null after a success. */
    failingSince: moment(),
    /** When the owners were told that it has been failing for a day; null after a success. */
    noticedAt: moment(),
    /** Set when it was disabled for its failures; null while enabled, and when a person disabled it. */
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
 * Something that happened, for one webhook. The API shows its id as `msg_` and 32 hex digits.
 *
 * An event is due when `next_attempt_at` has passed, its webhook is enabled and nobody holds its
 * lease. A worker that takes it writes itself and an end into the lease; when the worker dies, the
 * lease runs out and the event is due again.
 */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    /** Random: written by statements that make many, and shown to receivers. */
    id: uuid()
      .primaryKey()
      .default(sql`gen_random_uuid()`),
    webhookId: uuid()
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    companyId: uuid().notNull(),
    type: text().notNull(),
    /** The body that is posted, text and all: type json keeps it as it was written. */
    payload: json().$type<WebhookPayload>().notNull(),
    /** Made by `POST /webhooks/{id}/test`. */
    isTest: boolean().notNull().default(false),
    status: webhookEventStatus().notNull().default("pending"),
    /** Attempts made, replays among them. */
    attempts: integer().notNull().default(0),
    /** Of the eight attempts of the schedule, those that are used up. A replay uses none. */
    scheduled: smallint().notNull().default(0),
    /** The next attempt was asked for by hand. */
    isReplay: boolean().notNull().default(false),
    /** Null when none is planned: delivered, or out of attempts. Stays while the webhook is disabled. */
    nextAttemptAt: moment(),
    leaseUntil: moment(),
    leaseOwner: uuid(),
    /** When it happened. */
    createdAt: createdAt(),
  },
  (t) => [
    // GET /webhooks/{id}/events: newest first.
    index("webhook_events_newest_idx").on(t.webhookId, t.createdAt, t.id),
    // The claim: for each webhook what has waited longest.
    index("webhook_events_due_idx")
      .on(t.webhookId, t.nextAttemptAt, t.id)
      .where(sql`${t.nextAttemptAt} is not null`),
    // Test events that wait, to be counted; failed events, to be replayed.
    index("webhook_events_waiting_tests_idx")
      .on(t.webhookId)
      .where(sql`${t.isTest} and ${t.nextAttemptAt} is not null`),
    index("webhook_events_failed_idx")
      .on(t.webhookId, t.createdAt, t.id)
      .where(sql`${t.status} = 'failed'`),
    // Retention walks from the oldest.
    index("webhook_events_oldest_idx").on(t.createdAt),
  ],
);

/** One try to deliver an event. The newest 50 of an event are kept. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    eventId: uuid()
      .notNull()
      .references(() => webhookEvents.id, { onDelete: "cascade" }),
    /** From 1. */
    number: integer().notNull(),
    /** Null when no answer came. */
    httpStatusCode: integer(),
    /** The beginning of the answer, without what the endpoint's URL keeps secret. */
    response: text().notNull().default(""),
    /** Null on success. */
    error: text(),
    durationMs: integer().notNull(),
    sentAt: moment().notNull(),
  },
  (t) => [primaryKey({ name: "webhook_attempts_pkey", columns: [t.eventId, t.number] })],
);

/** What an event says, as receivers read it. */
export type WebhookPayload = { type: string; created_at: string; data: Record<string, unknown> };

export type Webhook = typeof webhooks.$inferSelect;
export type WebhookEvent = typeof webhookEvents.$inferSelect;
export type WebhookAttempt = typeof webhookAttempts.$inferSelect;
