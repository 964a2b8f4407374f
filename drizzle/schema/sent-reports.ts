import { date, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

/** Connections to other mail servers, until the day's TLS report (RFC 8460) about them is sent. */
export const tlsSessionCounts = pgTable(
  "tls_session_counts",
  {
    /** In UTC. */
    day: date({ mode: "string" }).notNull(),
    /** The recipients' domain, A-labels. */
    domain: text().notNull(),
    policy: text({ enum: ["opportunistic", "mta-sts", "mta-sts-testing", "dane"] }).notNull(),
    /** The mail server, for failures and DANE; otherwise "". */
    host: text().notNull(),
    /** A result type of RFC 8460, 4.3, or "" for a success. */
    failure: text().notNull(),
    /** Addresses of a failed connection, where known; otherwise "". */
    sendingIp: text().notNull().default(""),
    receivingIp: text().notNull().default(""),
    /** The host's TLSA records in lines, the latest ones, for DANE; otherwise "". */
    records: text().notNull().default(""),
    sessions: integer().notNull(),
  },
  (t) => [
    primaryKey({
      name: "tls_session_counts_pkey",
      columns: [t.day, t.domain, t.policy, t.host, t.failure, t.sendingIp, t.receivingIp],
    }),
  ],
);

/** Incoming messages by sender and authentication result, until the day's DMARC report (RFC 7489, 7.2) is sent. */
export const dmarcCounts = pgTable(
  "dmarc_counts",
  {
    /** In UTC. */
    day: date({ mode: "string" }).notNull(),
    /** The domain with the DMARC record. */
    domain: text().notNull(),
    sourceIp: text().notNull(),
    /** Everything else that a row of a report says, as JSON (`DmarcRow`), so that equal messages are counted together. */
    result: text().notNull(),
    messages: integer().notNull(),
  },
  (t) => [
    primaryKey({
      name: "dmarc_counts_pkey",
      columns: [t.day, t.domain, t.sourceIp, t.result],
    }),
  ],
);
