import { bigint, index, pgTable, text } from "drizzle-orm/pg-core";

import { createdAt } from "./columns.ts";

/** Failed and running sign-in attempts, counted to slow down guessing. Kept for a day at most. */
export const signInAttempts = pgTable(
  "sign_in_attempts",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    /** The address that was entered, lowercase, whether or not it exists. For starts of single sign-on, the provider's ID or `unknown`. */
    email: text().notNull(),
    /** The client: an IPv4 address, or the /64 of an IPv6 address; prefixed for starts of single sign-on, which have their own limit. */
    source: text().notNull(),
    /**
     * A few bits of a keyed hash of the password: a mail app that repeats an old password isn't guessing.
     * Null if unknown.
     */
    passwordMark: text(),
    createdAt: createdAt(),
  },
  (t) => [
    index("sign_in_attempts_email_idx").on(t.email, t.createdAt),
    index("sign_in_attempts_source_idx").on(t.source, t.createdAt),
    // Deletes attempts that are too old to count.
    index("sign_in_attempts_oldest_idx").on(t.createdAt),
  ],
);
