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
 * A mail domain that a company created. Its name is unique once ownership is verified
 * (`domains_proven_name_key`); until then a claim reserves it (`domain_claims`).
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
    /** Whether emails to one recipient get List-Unsubscribe (RFC 8058), unless they bring their own. */
    oneClickUnsubscribe: boolean().notNull().default(false),
    /** The label below the domain of the host in tracking and unsubscribe links; null for this server's own. */
    trackingSubdomain: text(),
    /**
     * The domain of its emails' envelope senders as of the last check: the name itself or a name below it, where
     * bounces arrive here and SPF passes. Null for the appliance's hostname.
     */
    returnPath: text(),
    /** The last check of its records, manual or periodic; null before the first. */
    checkedAt: moment(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("domains_company_name_key").on(t.companyId, t.name),
    uniqueIndex("domains_proven_name_key")
      .on(t.name)
      .where(sql`${t.ownershipProvenAt} is not null`),
    index("domains_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // The periodic check: those checked longest ago.
    index("domains_checked_idx").on(t.checkedAt),
    check("domains_name_lowercase", sql`${t.name} = lower(${t.name})`),
  ],
);

/**
 * A company's claim on a domain name. An unverified claim reserves the name for seven days from the
 * company's first addition. It outlives the domain's deletion, so that adding the name again doesn't
 * restart the seven days.
 */
export const domainClaims = pgTable(
  "domain_claims",
  {
    name: text().notNull(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** First addition within the current seven days; null if the name was only denied to the company. */
    claimedAt: moment(),
    /**
     * When the name was last denied to the company because another one had reserved it: the company waits for
     * it.
     */
    refusedAt: moment(),
  },
  (t) => [primaryKey({ name: "domain_claims_pkey", columns: [t.name, t.companyId] })],
);

/**
 * The DNS records that are checked. Those of the return path are published by domains whose mail is received
 * elsewhere, MTA-STS and TLS-RPT by those that receive it here.
 */
export const domainRecordKind = pgEnum("domain_record_kind", [
  "ownership",
  "spf",
  "dkim",
  "dmarc",
  "mx",
  "mta_sts",
  "tls_rpt",
  "return_path_mx",
  "return_path_spf",
  "dkim_ed25519",
  "dkim_next",
  "dkim_ed25519_next",
  "tracking",
]);

/** What the last check found for each DNS record of a domain. */
export const domainFindings = pgTable(
  "domain_findings",
  {
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "cascade" }),
    record: domainRecordKind().notNull(),
    /** The effective result: a contradicting answer changes it, a failed query doesn't. */
    isVerified: boolean().notNull().default(false),
    /** When a re-check first found the record missing while it still counted as verified; null otherwise. */
    missingSince: moment(),
    /** The answer of each server, authoritative ones first. */
    answers: jsonb().$type<DnsFinding[]>().notNull().default([]),
    checkedAt: moment().notNull(),
  },
  (t) => [primaryKey({ name: "domain_findings_pkey", columns: [t.domainId, t.record] })],
);

/** The answer of one DNS server about one name. */
export type DnsFinding = {
  /** Hostname and address of the server, or `resolver` for the configured one. */
  server: string;
  address: string | null;
  /** As in an Answer of server/gateways. */
  kind: "found" | "no_name" | "no_data" | "failed";
  /** TXT: each record as its strings, in order. MX: `["10", "mx.example.com"]`. */
  records: string[][];
  /** The CNAME at the name, if any. */
  cname: string | null;
  /** For `failed`: TIMEOUT, SERVFAIL, REFUSED, …; for a denial NO_TOP_LEVEL or null. */
  reason: string | null;
  /** The evaluation of the SPF record, if exactly one was found. */
  spf?: SpfReading;
};

/** How a receiver evaluates an SPF record (RFC 7208). */
export type SpfReading = {
  /** For mail from this appliance; `open` while an answer that decides is missing. */
  authorizes: "yes" | "no" | "open";
  /** The permerror, if receivers can't use the record at all. */
  error: string | null;
  /** DNS lookups of a full evaluation; ten are allowed. */
  lookups: number;
  /** The appliance's addresses at that time. */
  hostAddresses: string[];
};

export const dkimAlgorithm = pgEnum("dkim_algorithm", ["rsa", "ed25519"]);

/** `next`: becomes active once all name servers have its record. `retired`: replaced, no longer signs. */
export const dkimKeyState = pgEnum("dkim_key_state", ["active", "next", "retired"]);

/**
 * The keys that sign a domain's mail (RFC 6376, RFC 8463): one active key of each algorithm. Private keys are
 * encrypted with the instance key and decrypted only where mail is signed.
 */
export const dkimKeys = pgTable(
  "dkim_keys",
  {
    id: id(),
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "cascade" }),
    selector: text().notNull(),
    algorithm: dkimAlgorithm().notNull().default("rsa"),
    state: dkimKeyState().notNull().default("active"),
    /** PKCS#8 PEM, encrypted (server/core/shared/secrets). */
    sealedPrivateKey: text().notNull(),
    /** As published in `p=`, in base64: the SubjectPublicKeyInfo for RSA, the 32 octets for Ed25519. */
    publicKey: text().notNull(),
    /** When a check found its record; null while it isn't published. Only seen keys sign. */
    seenAt: moment(),
    /** When the next key replaced it. */
    retiredAt: moment(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("dkim_keys_domain_selector_key").on(t.domainId, t.selector),
    uniqueIndex("dkim_keys_domain_active_key")
      .on(t.domainId, t.algorithm)
      .where(sql`${t.state} = 'active'`),
    uniqueIndex("dkim_keys_domain_next_key")
      .on(t.domainId, t.algorithm)
      .where(sql`${t.state} = 'next'`),
    // The yearly rotation: the oldest active keys.
    index("dkim_keys_active_idx")
      .on(t.createdAt)
      .where(sql`${t.state} = 'active'`),
  ],
);

export type Domain = typeof domains.$inferSelect;
export type DomainFinding = typeof domainFindings.$inferSelect;
export type DomainRecordKind = DomainFinding["record"];
export type DkimKey = typeof dkimKeys.$inferSelect;
