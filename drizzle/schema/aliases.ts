import { boolean, index, pgTable, text } from "drizzle-orm/pg-core";

import { addresses } from "./addresses.ts";
import { createdAt } from "./columns.ts";
import { mailboxes } from "./mailboxes.ts";

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
      .references(() => mailboxes.address, { onDelete: "cascade" }),
    active: boolean().notNull().default(true),
    createdAt: createdAt(),
  },
  (t) => [index("aliases_mailbox_idx").on(t.mailbox, t.address)],
);

export type Alias = typeof aliases.$inferSelect;
