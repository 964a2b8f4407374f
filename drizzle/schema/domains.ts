import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  pgEnum,
  pgTable,
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
 * A mail domain that a company has added.
 *
 * Several companies may claim the same name while none has proven it; the first to publish its
 * ownership token wins, and from then on the name is unique (`domains_proven_name_key`).
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
    openTracking: boolean().notNull().default(false),
    clickTracking: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("domains_company_name_key").on(t.companyId, t.name),
    uniqueIndex("domains_proven_name_key")
      .on(t.name)
      .where(sql`${t.ownershipProvenAt} is not null`),
    index("domains_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    check("domains_name_lowercase", sql`${t.name} = lower(${t.name})`),
  ],
);

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
    /** PKCS#8 PEM, sealed (server/core/secrets). */
    sealedPrivateKey: text().notNull(),
    /** Base64 of the SubjectPublicKeyInfo, as published in `p=`. */
    publicKey: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("dkim_keys_domain_selector_key").on(t.domainId, t.selector)],
);

export type Domain = typeof domains.$inferSelect;
export type DkimKey = typeof dkimKeys.$inferSelect;
