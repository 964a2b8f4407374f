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
    /** Place among the company's sealed entries, from 1. Like the seal, null until the entry is sealed. */
    sequence: bigint({ mode: "number" }),
    /** Authenticates the entry and its place (server/core/shared/audit/audit-seal.ts). */
    seal: bytea(),
  },
  (t) => [
    index("audit_entries_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // Entries to seal have no sequence, so they are found here too.
    uniqueIndex("audit_entries_sequence_key").on(t.companyId, t.sequence),
  ],
);

/** The range of each company's sealed audit entries. It detects that the first or last ones were deleted. */
export const auditSeals = pgTable("audit_seals", {
  companyId: uuid()
    .primaryKey()
    .references(() => companies.id, { onDelete: "cascade" }),
  first: bigint({ mode: "number" }).notNull(),
  last: bigint({ mode: "number" }).notNull(),
  /** Authenticates the range. */
  seal: bytea().notNull(),
});
