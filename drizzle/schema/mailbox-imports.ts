import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { admins, companies } from "./companies.ts";

/** Imports of lists of mailboxes. They run in the worker, with the privileges that the admin who started them has at that time. */
export const mailboxImports = pgTable(
  "mailbox_imports",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Who started it, and may read the temporary passwords. Null once that admin is gone. */
    adminId: uuid().references(() => admins.id, { onDelete: "set null" }),
    /** The admin's sign-in address, for display. */
    startedBy: text().notNull(),
    /** The admin was signed in by the company's identity provider, which speaks only for that company. */
    isConfined: boolean().notNull(),
    state: text({ enum: ["running", "stopped", "done"] }).notNull(),
    /** Why it was stopped, or waits. */
    problem: text(),
    createdAt: createdAt(),
    finishedAt: moment(),
  },
  (t) => [
    // The list of a company.
    index("mailbox_imports_company_idx").on(t.companyId, t.createdAt),
    index("mailbox_imports_admin_idx").on(t.adminId),
  ],
);

/** The lines of a list, in its order. A line is committed together with the mailbox that it creates. */
export const mailboxImportLines = pgTable(
  "mailbox_import_lines",
  {
    importId: uuid()
      .notNull()
      .references(() => mailboxImports.id, { onDelete: "cascade" }),
    position: integer().notNull(),
    /** The line's number in the file. */
    number: integer().notNull(),
    address: text().notNull(),
    name: text().notNull(),
    quotaMb: integer(),
    /** No foreign key: a unit that was deleted meanwhile fails the line. */
    orgUnitId: integer(),
    aliases: text().array().notNull(),
    /** Gets a link to set the password. If null, the user gets a temporary password. */
    privateAddress: text(),
    /** `skipped`: the check before the import found a problem. */
    state: text({ enum: ["waiting", "created", "updated", "failed", "skipped"] }).notNull(),
    problem: text(),
    /** The temporary password; null once the admin has saved it, or a day after the import ended. */
    sealedPassword: text(),
  },
  (t) => [
    primaryKey({ name: "mailbox_import_lines_pkey", columns: [t.importId, t.position] }),
    // The next lines to import.
    index("mailbox_import_lines_waiting_idx")
      .on(t.importId, t.position)
      .where(sql`state = 'waiting'`),
    // Passwords to show or erase.
    index("mailbox_import_lines_password_idx")
      .on(t.importId)
      .where(sql`sealed_password is not null`),
  ],
);

export type MailboxImport = typeof mailboxImports.$inferSelect;
export type MailboxImportLine = typeof mailboxImportLines.$inferSelect;
