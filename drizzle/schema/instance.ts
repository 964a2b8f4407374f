import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { bytea, createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/** The instance that the database belongs to: one row, created at the first start. */
export const instance = pgTable(
  "instance",
  {
    isOnlyRow: boolean().primaryKey().default(true),
    /** Fingerprint of the instance key, which is kept in the data folder (server/core/shared/secrets). */
    keyFingerprint: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [check("instance_one_row", sql`${t.isOnlyRow}`)],
);

/** Settings changed at run time. A setting without a row has its default (server/core/platform/settings). */
export const settings = pgTable("settings", {
  name: text().primaryKey(),
  value: jsonb().notNull(),
  updatedAt: moment()
    .notNull()
    .default(sql`clock_timestamp()`),
});

/** The audit log. Written in the transaction of the change. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** For display: "API key Billing", "ann@example.com", "system". */
    actor: text().notNull(),
    /** `api_key`, `admin`, `mailbox`, `operator` or `system`. */
    actorKind: text().notNull().default("system"),
    /** `noun.verb_past` */
    action: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    createdAt: createdAt(),
    /** Place in the company's hash chain, from 1. Null until the entry is sealed, like the next three. */
    sequence: bigint({ mode: "number" }),
    /** Random, so that the hash of an erased entry doesn't confirm guesses of what was erased. */
    salt: bytea(),
    /** Hash of the entry as sealed, even if part of it was erased since. */
    contentHash: bytea(),
    /** SHA-256 of the previous entry's hash and the content hash. */
    hash: bytea(),
    /** The signed statement that part of the entry was erased. */
    erasure: text(),
  },
  (t) => [
    index("audit_entries_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // Entries to seal have no sequence, so they are found here too.
    uniqueIndex("audit_entries_chain_key").on(t.companyId, t.sequence),
  ],
);

/** The signed end of each company's hash chain, and the result of the daily verification. */
export const auditHeads = pgTable("audit_heads", {
  companyId: uuid()
    .primaryKey()
    .references(() => companies.id, { onDelete: "cascade" }),
  signature: text().notNull(),
  /** How far the verification came. The next one continues here, or starts over after the last entry. */
  verifiedSequence: bigint({ mode: "number" }).notNull().default(0),
  verifiedHash: bytea(),
  verifiedAt: moment(),
  problem: text(),
});
