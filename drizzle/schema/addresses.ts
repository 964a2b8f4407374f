import { sql } from "drizzle-orm";
import { boolean, check, index, pgEnum, pgTable, text, uuid } from "drizzle-orm/pg-core";

import { createdAt } from "./columns.ts";
import { companies } from "./companies.ts";
import { domains } from "./domains.ts";
import { mailboxes } from "./mailboxes.ts";

export const addressKind = pgEnum("address_kind", ["mailbox", "alias", "group", "inbound"]);

/**
 * Every address that receives mail. Its primary key ensures that an address is one thing only, even when
 * two are created at the same time; details are in the table of its kind. Deleting this row deletes the
 * mailbox, alias or group too.
 *
 * An inbound address, whose mail programs read through the API, has no other row. An inbound address or alias
 * `*@example.com` is a catch-all: for all addresses of the domain that don't exist.
 */
export const addresses = pgTable(
  "addresses",
  {
    /** Lowercase. */
    address: text().primaryKey(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** The domain after the @. */
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "cascade" }),
    kind: addressKind().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // Lists by address, of a company or of one domain.
    index("addresses_company_idx").on(t.companyId, t.kind, t.address),
    index("addresses_domain_idx").on(t.domainId, t.kind, t.address),
    check("addresses_lowercase", sql`${t.address} = lower(${t.address})`),
  ],
);

export type Address = typeof addresses.$inferSelect;

/**
 * An alternate address of a mailbox: mail to it arrives there, and the mailbox may send as it. As `*@example.com` it is a
 * catch-all for all addresses of the domain that don't exist, and only receives.
 */
export const aliases = pgTable(
  "aliases",
  {
    address: text()
      .primaryKey()
      .references(() => addresses.address, { onDelete: "cascade" }),
    mailbox: text()
      .notNull()
      .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" }),
    active: boolean().notNull().default(true),
    createdAt: createdAt(),
  },
  (t) => [index("aliases_mailbox_idx").on(t.mailbox, t.address)],
);

export type Alias = typeof aliases.$inferSelect;
