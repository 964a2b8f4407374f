import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt } from "./columns.ts";
import { companies } from "./companies.ts";

/**
 * Organizational units: a tree below the root unit that each company starts with. A null policy is
 * inherited from the parent; the root's nulls mean the defaults in `mailbox_policies` (mailboxes.ts).
 */
export const orgUnits = pgTable(
  "org_units",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Null for the root. */
    parentId: integer().references((): AnyPgColumn => orgUnits.id),
    name: text().notNull(),
    /** Size of a new mailbox if the request names none. */
    defaultQuotaMb: integer(),
    imapAllowed: boolean(),
    pop3Allowed: boolean(),
    submissionAllowed: boolean(),
    /** Calendars and contacts. */
    calendarAllowed: boolean(),
    /** Whether its mailboxes may write to addresses outside the company's domains. */
    outsideAllowed: boolean(),
    /** Whether its mailboxes may forward mail to such addresses; `confirmed`: once the address has confirmed it. */
    forwarding: text({ enum: ["allowed", "confirmed", "forbidden"] }),
    appPasswordsAllowed: boolean(),
    passwordLengthMin: integer(),
    /** How often its mailbox users get an email about quarantined messages. */
    quarantineDigest: text({ enum: ["off", "daily"] }),
    /** What its mailbox users may release from quarantine themselves. */
    quarantineRelease: text({ enum: ["none", "spam"] }),
    /** Whether its mailboxes have a search index, if the server's `full_text_search` is on. */
    fullTextSearch: text({ enum: ["off", "on"] }),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("org_units_root_key")
      .on(t.companyId)
      .where(sql`${t.parentId} is null`),
    index("org_units_company_idx").on(t.companyId, t.id),
    index("org_units_parent_idx").on(t.parentId),
    check("org_units_name_check", sql`length(${t.name}) between 1 and 120`),
  ],
);

export type OrgUnit = typeof orgUnits.$inferSelect;
