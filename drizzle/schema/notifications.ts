import {
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { admins, companies } from "./companies.ts";

/** How an admin gets notices about a company, or an operator gets alarms. Without a row: all by email. */
export const notificationSettings = pgTable(
  "notification_settings",
  {
    id: id(),
    /** The admin's or operator's address. */
    email: text().notNull(),
    /** Null for alarms about the server. */
    companyId: uuid(),
    /** Kinds that aren't sent by email. */
    emailOff: text().array().notNull().default([]),
    /** Kinds that aren't posted to the URL. */
    urlOff: text().array().notNull().default([]),
    /** Encrypted, since its path is often secret; null without a URL. */
    sealedUrl: text(),
    /** `slack`: a JSON object with `text` only. */
    urlFormat: text({ enum: ["slack", "json"] })
      .notNull()
      .default("slack"),
    /** Consecutive failed attempts. */
    urlFailures: integer().notNull().default(0),
    /** When the first of these failed; null after a success. */
    urlFailingSince: moment(),
    /** Why the last of these failed, as in `webhook_attempts`. */
    urlError: text(),
    /** The last success. */
    urlPostedAt: moment(),
    /** A worker that posts sets this to a later time, when another one may continue if it dies. */
    urlNextAttemptAt: createdAt(),
  },
  (t) => [
    unique("notification_settings_key").on(t.email, t.companyId).nullsNotDistinct(),
    foreignKey({
      name: "notification_settings_admin_fk",
      columns: [t.email, t.companyId],
      foreignColumns: [admins.email, admins.companyId],
    })
      .onDelete("cascade")
      .onUpdate("cascade"),
  ],
);

/** Notices for the URLs of admins and operators. Kept for some days after they were posted, so that none is posted twice. */
export const noticePosts = pgTable(
  "notice_posts",
  {
    /** Derives from the notice and the settings. */
    id: uuid().primaryKey(),
    settingsId: uuid()
      .notNull()
      .references(() => notificationSettings.id, { onDelete: "cascade" }),
    content: jsonb().$type<PostedNotice>().notNull(),
    /** Null while it waits. */
    postedAt: moment(),
    createdAt: createdAt(),
  },
  (t) => [index("notice_posts_settings_idx").on(t.settingsId, t.createdAt)],
);

/**
 * Mailboxes that got a digest of their messages in quarantine and on hold. No foreign key: a mailbox that is deleted and
 * restored must not get one twice.
 */
export const quarantineDigests = pgTable(
  "quarantine_digests",
  {
    mailbox: text().primaryKey(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** The end of the last period that a digest was about: messages up to then were listed. */
    listedUntil: moment().notNull(),
  },
  (t) => [index("quarantine_digests_company_idx").on(t.companyId)],
);

/** A notice in plain text. */
export type PostedNotice = {
  kind: string;
  subject: string;
  paragraphs: string[];
  /** A page of the console. */
  url: string | null;
};

export type NotificationSettings = typeof notificationSettings.$inferSelect;
