import { bigint, index, pgTable, text } from "drizzle-orm/pg-core";

import { createdAt } from "./columns.ts";

/**
 * Attempts to sign in that did not succeed, and those under way. Counted to slow down guessing; kept
 * for a day at most.
 */
export const signInAttempts = pgTable(
  "sign_in_attempts",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    /** The address that was typed, lowercase, whether or not anybody has it. */
    email: text().notNull(),
    /** Where it came from: an IPv4 address, or the /64 of an IPv6 address. */
    source: text().notNull(),
    /**
     * A few bits of a keyed hash of the password: an app that comes again with the old one is no guesser.
     * Null where it is not known.
     */
    passwordMark: text(),
    createdAt: createdAt(),
  },
  (t) => [
    index("sign_in_attempts_email_idx").on(t.email, t.createdAt),
    index("sign_in_attempts_source_idx").on(t.source, t.createdAt),
    // The sweep of what is too old to count.
    index("sign_in_attempts_oldest_idx").on(t.createdAt),
  ],
);
