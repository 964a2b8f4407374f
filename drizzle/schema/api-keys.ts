import { sql } from "drizzle-orm";
import { index, pgEnum, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { admins, companies } from "./companies.ts";
import { domains } from "./domains.ts";

export const apiKeyPermission = pgEnum("api_key_permission", ["full_access", "sending_access"]);

/**
 * A company's API key. It acts with the rights its creator has at the moment of each call; a revoked
 * key stays as a row, because the emails it sent refer to it.
 */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Null once the person was removed from the company: the key is revoked then. */
    creatorId: uuid().references(() => admins.id, { onDelete: "set null" }),
    name: text().notNull(),
    permission: apiKeyPermission().notNull().default("full_access"),
    /** The one domain a sending key may send from; null allows all of the company's. */
    domainId: uuid().references(() => domains.id, { onDelete: "cascade" }),
    /** The part of the key that may be shown again: `ph_` and the 8-character id. */
    prefix: text().notNull(),
    /** Hex SHA-256 of the whole key. The key has 190 bits of entropy, so a fast hash is enough. */
    secretHash: text().notNull(),
    /** Addresses and CIDR ranges that may use this key, beside what the company allows; empty allows all. */
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
    // The former ones, in the console.
    index("api_keys_company_revoked_idx")
      .on(t.companyId, t.createdAt, t.id)
      .where(sql`${t.revokedAt} is not null`),
    // What a person has made, and what becomes of it when they are removed.
    index("api_keys_creator_idx").on(t.creatorId),
  ],
);

export type ApiKey = typeof apiKeys.$inferSelect;
