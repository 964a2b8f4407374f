import { sql } from "drizzle-orm";
import { bigint, index, pgTable, text } from "drizzle-orm/pg-core";

import { createdAt } from "./columns.ts";

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
    /** What Dovecot needn't check again: the mailbox password (`main`), or an app password (`app:` and its ID). */
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
