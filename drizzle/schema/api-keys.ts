import { sql } from "drizzle-orm";
import { index, pgEnum, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { admins, companies } from "./companies.ts";
import { domains } from "./domains.ts";

export const apiKeyPermission = pgEnum("api_key_permission", [
  "full_access",
  "sending_access",
  "test",
]);

/**
 * A company's API key. It acts with the current privileges of its creator. A revoked key stays as a row,
 * because the emails it sent refer to it.
 */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Null once the creator was removed from the company, which also revokes the key. */
    creatorId: uuid().references(() => admins.id, { onDelete: "set null" }),
    name: text().notNull(),
    permission: apiKeyPermission().notNull().default("full_access"),
    /** The one domain that a sending key may send from; null for all of the company's. */
    domainId: uuid().references(() => domains.id, { onDelete: "cascade" }),
    /** The part of the key that can be shown again: `ph_` or `ph_test_`, and the 8-character id. */
    prefix: text().notNull(),
    /** Hex SHA-256 of the whole key. The key has 190 bits of entropy, so a fast hash is enough. */
    secretHash: text().notNull(),
    /**
     * Addresses and CIDR ranges that may use this key, in addition to the company's own limits; empty
     * allows all.
     */
    allowedAddresses: text().array().notNull().default([]),
    createdAt: createdAt(),
    /** Written at most once a minute. */
    lastUsedAt: moment(),
    revokedAt: moment(),
  },
  (t) => [
    uniqueIndex("api_keys_secret_hash_key").on(t.secretHash),
    index("api_keys_company_newest_idx")
      .on(t.companyId, t.createdAt, t.id)
      .where(sql`${t.revokedAt} is null`),
    // Revoked keys, in the console.
    index("api_keys_company_revoked_idx")
      .on(t.companyId, t.createdAt, t.id)
      .where(sql`${t.revokedAt} is not null`),
    // The keys of an admin, for their removal.
    index("api_keys_creator_idx").on(t.creatorId),
  ],
);

export type ApiKey = typeof apiKeys.$inferSelect;
