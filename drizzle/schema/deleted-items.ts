import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  jsonb,
  pgEnum,
  pgTable,
  text,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, id } from "./columns.ts";
import { companies } from "./companies.ts";
import { mailHosts } from "./mailboxes.ts";

export const deletedKind = pgEnum("deleted_kind", [
  "mailbox",
  "alias",
  "group",
  "domain",
  "inbound",
]);

/**
 * Deleted mailboxes, aliases, groups, inbound addresses and domains that can still be restored. Their rows have left the other tables, so
 * no query there has to leave them out. A mailbox's folder stays on disk, where only this row names it.
 */
export const deletedItems = pgTable(
  "deleted_items",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    kind: deletedKind().notNull(),
    /** The address, or the domain's name. */
    name: text().notNull(),
    /** The name of a mailbox or group, the mailbox of an alias; "" for none. */
    title: text().notNull().default(""),
    /** The domain that it belonged to, or was; it may be deleted too. */
    domainId: uuid().notNull(),
    /** All addresses that it had: its own, its aliases, or those of the domain. */
    addresses: text().array().notNull().default([]),
    /** Whether nothing else can have its name and addresses. */
    isReserved: boolean().notNull(),
    /** As in `mailboxes`; null for everything else. */
    store: text(),
    storeHost: text().references(() => mailHosts.name),
    storageBytes: bigint({ mode: "number" }).notNull().default(0),
    messages: bigint({ mode: "number" }).notNull().default(0),
    /** Its rows by table, to be inserted again. */
    contents: jsonb().$type<Record<string, unknown[]>>().notNull(),
    /** As in the audit log. */
    deletedBy: text().notNull(),
    /** When it was deleted. */
    createdAt: createdAt(),
  },
  (t) => [
    index("deleted_items_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    // What is deleted with a domain for good.
    index("deleted_items_domain_idx").on(t.domainId),
    // Whether a new address or domain is reserved.
    index("deleted_items_addresses_idx").using("gin", t.addresses),
    index("deleted_items_name_idx").on(t.name),
    // What is due to be deleted for good.
    index("deleted_items_oldest_idx").on(t.createdAt),
    check("deleted_items_store", sql`(${t.store} is not null) = (${t.kind} = 'mailbox')`),
  ],
);

export type DeletedItem = typeof deletedItems.$inferSelect;
