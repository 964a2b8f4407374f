import {
  bigint,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { domains } from "./domains.ts";

/** A DMARC aggregate report (RFC 7489, 7.2; RFC 9990) that a mailbox provider sent about a domain. */
export const dmarcReports = pgTable(
  "dmarc_reports",
  {
    id: id(),
    companyId: uuid().notNull(),
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "cascade" }),
    /** The organization that sent the report. */
    orgName: text().notNull(),
    /** The reporter's id: a report sent twice counts once. */
    reportId: text().notNull(),
    periodStart: moment().notNull(),
    periodEnd: moment().notNull(),
    /** The published policy, as the reporter found it. */
    policy: jsonb().$type<Record<string, string>>().notNull().default({}),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("dmarc_reports_once_key").on(t.domainId, t.orgName, t.reportId),
    index("dmarc_reports_domain_period_idx").on(t.domainId, t.periodEnd),
    index("dmarc_reports_oldest_idx").on(t.createdAt),
  ],
);

/** A row of a report: the messages from one address, and how they were handled. */
export const dmarcSources = pgTable(
  "dmarc_sources",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    reportId: uuid()
      .notNull()
      .references(() => dmarcReports.id, { onDelete: "cascade" }),
    /** Textual IPv4 or IPv6 address, normalized. */
    sourceIp: text().notNull(),
    messages: integer().notNull(),
    disposition: text().notNull(),
    /** Whether DMARC's aligned checks passed. */
    dkim: text({ enum: ["pass", "fail"] }).notNull(),
    spf: text({ enum: ["pass", "fail"] }).notNull(),
    headerFrom: text().notNull(),
    envelopeFrom: text(),
    /** The authentication results, regardless of alignment. */
    auth: jsonb()
      .$type<{ kind: "dkim" | "spf"; domain: string; selector?: string; result: string }[]>()
      .notNull()
      .default([]),
    /** Why the policy was not applied: forwarded, mailing list, … */
    reasons: text().array().notNull().default([]),
  },
  (t) => [index("dmarc_sources_report_idx").on(t.reportId)],
);

/** A TLS report (RFC 8460) that another mail server sent about a domain: how deliveries to it were encrypted. */
export const tlsReports = pgTable(
  "tls_reports",
  {
    id: id(),
    companyId: uuid().notNull(),
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "cascade" }),
    orgName: text().notNull(),
    reportId: text().notNull(),
    periodStart: moment().notNull(),
    periodEnd: moment().notNull(),
    successful: integer().notNull(),
    failed: integer().notNull(),
    failures: jsonb()
      .$type<
        { type: string; sessions: number; receivingMx?: string; reason?: string; policy: string }[]
      >()
      .notNull()
      .default([]),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("tls_reports_once_key").on(t.domainId, t.orgName, t.reportId),
    index("tls_reports_domain_period_idx").on(t.domainId, t.periodEnd),
    index("tls_reports_oldest_idx").on(t.createdAt),
  ],
);

export type DmarcReport = typeof dmarcReports.$inferSelect;

export type DmarcSource = typeof dmarcSources.$inferSelect;

export type TlsReport = typeof tlsReports.$inferSelect;

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
