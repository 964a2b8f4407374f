import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";

export const domainStatus = pgEnum("domain_status", [
  "not_started",
  "pending",
  "partially_verified",
  "verified",
]);

/**
 * A mail domain that a company has added. From the proof of ownership on its name is unique
 * (`domains_proven_name_key`); until then it is held by a claim (`domain_claims`).
 */
export const domains = pgTable(
  "domains",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Lowercase ASCII (A-labels), without trailing dot. */
    name: text().notNull(),
    status: domainStatus().notNull().default("not_started"),
    /** Published by the owner as TXT at `_svc-verify.<name>`. */
    ownershipToken: text().notNull(),
    ownershipProvenAt: moment(),
    /** When the periodic check first found the ownership record missing; null while it is there. */
    ownershipMissingSince: moment(),
    /** When the owners were last notified that it is missing. */
    ownershipNoticedAt: moment(),
    /** When another company took the name over. The row stays, unverified, so that its mailboxes can be read. */
    ownershipLostAt: moment(),
    openTracking: boolean().notNull().default(false),
    clickTracking: boolean().notNull().default(false),
    /** When its records were last looked for, by whoever; null before the first time. */
    checkedAt: moment(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("domains_company_name_key").on(t.companyId, t.name),
    uniqueIndex("domains_proven_name_key")
      .on(t.name)
      .where(sql`${t.ownershipProvenAt} is not null`),
    index("domains_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // The periodic re-check: those not looked at for longest.
    index("domains_checked_idx").on(t.checkedAt),
    check("domains_name_lowercase", sql`${t.name} = lower(${t.name})`),
  ],
);

/**
 * That a company has added a name, and since when. A claim without proof holds the name for seven days
 * from the company's first addition; it outlives the domain's deletion, so that adding it again does
 * not start the seven days anew.
 */
export const domainClaims = pgTable(
  "domain_claims",
  {
    name: text().notNull(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** First addition of the current seven days; null when the company only asked for it. */
    claimedAt: moment(),
    /** When the company was last refused the name because another one held it: it waits for it. */
    refusedAt: moment(),
  },
  (t) => [primaryKey({ name: "domain_claims_pkey", columns: [t.name, t.companyId] })],
);

/** The DNS records of a domain that are looked for. The last two are offered to receiving domains. */
export const domainRecordKind = pgEnum("domain_record_kind", [
  "ownership",
  "spf",
  "dkim",
  "dmarc",
  "mx",
  "mta_sts",
  "tls_rpt",
]);

/** What was found where a record of a domain belongs, at the last check. */
export const domainFindings = pgTable(
  "domain_findings",
  {
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "cascade" }),
    record: domainRecordKind().notNull(),
    /** What counts: an answer that says otherwise changes it, no answer does not. */
    isVerified: boolean().notNull().default(false),
    /** When a re-check first read an answer without the record while it still counted; null otherwise. */
    missingSince: moment(),
    /** What each server said, those of the domain first. */
    answers: jsonb().$type<DnsFinding[]>().notNull().default([]),
    checkedAt: moment().notNull(),
  },
  (t) => [primaryKey({ name: "domain_findings_pkey", columns: [t.domainId, t.record] })],
);

/** What one DNS server said about one name. */
export type DnsFinding = {
  /** Host name and address of the server, or `resolver` for the configured one. */
  server: string;
  address: string | null;
  /** As in an Answer of server/gateways: what is there, or why nothing. */
  kind: "found" | "no_name" | "no_data" | "failed";
  /** TXT: each record as its strings, in order. MX: `["10", "mx.example.com"]`. */
  records: string[][];
  /** The alias that stands at the name, if one does. */
  cname: string | null;
  /** For `failed`: TIMEOUT, SERVFAIL, REFUSED, …; for a denial NO_TOP_LEVEL, or nothing. */
  reason: string | null;
  /** SPF only, where one record was found: what following it to its end came to. */
  spf?: SpfReading;
};

/** What a receiver makes of an SPF record (RFC 7208). */
export type SpfReading = {
  /** For mail from this appliance; `open` while some answer that decides is missing. */
  authorises: "yes" | "no" | "open";
  /** Why a receiver cannot use it at all: a permerror in its words. */
  error: string | null;
  /** Look-ups that reading it to the end takes; ten are allowed. */
  lookups: number;
  /** The appliance's addresses at that time. */
  hostAddresses: string[];
};

/**
 * The key that signs a domain's mail (RFC 6376). A domain has one active key; the private half is
 * sealed with the instance key and opened only in the worker.
 */
export const dkimKeys = pgTable(
  "dkim_keys",
  {
    id: id(),
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "cascade" }),
    selector: text().notNull(),
    /** PKCS#8 PEM, sealed (server/core/shared/secrets). */
    sealedPrivateKey: text().notNull(),
    /** Base64 of the SubjectPublicKeyInfo, as published in `p=`. */
    publicKey: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("dkim_keys_domain_selector_key").on(t.domainId, t.selector)],
);

export type Domain = typeof domains.$inferSelect;
export type DomainFinding = typeof domainFindings.$inferSelect;
export type DomainRecordKind = DomainFinding["record"];
export type DkimKey = typeof dkimKeys.$inferSelect;
