import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text } from "drizzle-orm/pg-core";

import { createdAt, moment } from "./columns.ts";

/**
 * The names that Posthouse gets certificates for, each with its current certificate. A certificate covers one
 * name, so that a name whose DNS is wrong doesn't hold up the others.
 */
export const certificates = pgTable(
  "certificates",
  {
    /** Lowercase A-labels. */
    name: text().primaryKey(),
    /** The chain, PEM; null until the first one is issued. */
    chain: text(),
    /** PKCS#8 PEM, encrypted (server/core/shared/secrets). */
    sealedPrivateKey: text(),
    issuedAt: moment(),
    notAfter: moment(),
    /** When the name is due for an order: now, for renewal, after a failure, or after an interrupted order. */
    nextAttemptAt: moment()
      .notNull()
      .default(sql`clock_timestamp()`),
    /** The last attempt, including those that ended before an order because the name's DNS is wrong. */
    attemptedAt: moment(),
    /** Failed orders in a row. */
    failures: integer().notNull().default(0),
    /** Why the last attempt failed, for admins; null if it succeeded. */
    problem: text(),
    createdAt: createdAt(),
  },
  (t) => [
    index("certificates_due_idx").on(t.nextAttemptAt),
    index("certificates_issued_idx").on(t.issuedAt),
    check("certificates_name_lowercase", sql`${t.name} = lower(${t.name})`),
  ],
);

/** The account at each certificate authority that was used (RFC 8555, 7.3). */
export const acmeAccounts = pgTable("acme_accounts", {
  directoryUrl: text().primaryKey(),
  /** PKCS#8 PEM, encrypted (server/core/shared/secrets). */
  sealedPrivateKey: text().notNull(),
  /** Null until the authority has created the account. */
  accountUrl: text(),
  createdAt: createdAt(),
});

/** Challenges in progress. In the database, so that any web process can answer the authority. */
export const acmeChallenges = pgTable(
  "acme_challenges",
  {
    token: text().primaryKey(),
    name: text().notNull(),
    type: text({ enum: ["http-01", "tls-alpn-01"] }).notNull(),
    /** HTTP-01: the response body. TLS-ALPN-01: a certificate for this purpose only, with its key, PEM. */
    answer: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [index("acme_challenges_name_idx").on(t.name)],
);
