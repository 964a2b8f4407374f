import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";
import { mailboxes } from "./mailboxes.ts";

/** Imports of mail from an account on another IMAP server into a mailbox. A repeated import continues the same row. */
export const mailImports = pgTable(
  "mail_imports",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    mailbox: text()
      .notNull()
      .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" }),
    /** Lowercase. */
    host: text().notNull(),
    port: integer().notNull(),
    security: text({ enum: ["tls", "starttls", "none"] }).notNull(),
    account: text().notNull(),
    /** `google` and `microsoft`: the credentials of an app that may open all mailboxes of its company. */
    secretKind: text({ enum: ["password", "oauth", "google", "microsoft"] }).notNull(),
    /** Null once the import has ended. */
    sealedSecret: text(),
    /** Keeps the secret after a pass, so that another one needs no password. */
    keepsSecret: boolean().notNull(),
    /** Operators can import from private networks. */
    allowsPrivateHost: boolean().notNull().default(false),
    state: text({ enum: ["queued", "running", "done", "failed", "canceled"] }).notNull(),
    /** Why the last attempt failed or is delayed. */
    problem: text(),
    /** Attempts in a row that imported nothing or were interrupted. */
    failures: integer().notNull().default(0),
    /** When the next attempt is due; the end of the lease while it runs. */
    nextAttemptAt: createdAt(),
    /** Identifies the lease, also after the import was queued again or canceled while it ran. */
    leasedBy: uuid(),
    /** When messages were last imported, or the import was started. */
    progressedAt: createdAt(),
    /** The current or last pass over all folders. */
    passStartedAt: moment(),
    finishedAt: moment(),
    /** Messages of all folders to import, as counted in this pass. */
    messagesTotal: integer().notNull().default(0),
    /** Messages checked in this pass: imported now or before, or failed. */
    messagesDone: integer().notNull().default(0),
    /** Messages checked in this pass that were already imported. */
    messagesBefore: integer().notNull().default(0),
    /** Imported in all passes. */
    messagesImported: integer().notNull().default(0),
    bytesImported: bigint({ mode: "number" }).notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    unique("mail_imports_source_key").on(t.mailbox, t.host, t.account),
    // The list of a company.
    index("mail_imports_company_idx").on(t.companyId, t.createdAt),
    // Due imports, and running ones whose lease expired.
    index("mail_imports_due_idx")
      .on(t.nextAttemptAt)
      .where(sql`state in ('queued', 'running')`),
  ],
);

/** The folders of an import, and what was found in them. */
export const mailImportFolders = pgTable(
  "mail_import_folders",
  {
    id: id(),
    importId: uuid()
      .notNull()
      .references(() => mailImports.id, { onDelete: "cascade" }),
    source: text().notNull(),
    target: text().notNull(),
    /** UIDs of earlier passes are valid only together with these. */
    sourceUidValidity: text(),
    targetUidValidity: text(),
    /** In the last pass. */
    messagesTotal: integer().notNull().default(0),
    messagesDone: integer().notNull().default(0),
    finishedAt: moment(),
  },
  (t) => [unique("mail_import_folders_source_key").on(t.importId, t.source)],
);

/** Messages that were imported together: the nth UID of the source became the nth of the mailbox. */
export const mailImportBatches = pgTable(
  "mail_import_batches",
  {
    folderId: uuid()
      .notNull()
      .references(() => mailImportFolders.id, { onDelete: "cascade" }),
    /** UID at the source; identifies the batch. */
    firstUid: bigint({ mode: "number" }).notNull(),
    /** Sequence sets (RFC 9051), in ascending order: `1:50,53`. */
    sourceUids: text().notNull(),
    targetUids: text().notNull(),
    /** The flags of each message at the source, separated by spaces, to find later changes. */
    flags: text().array().notNull(),
  },
  (t) => [primaryKey({ name: "mail_import_batches_pkey", columns: [t.folderId, t.firstUid] })],
);

/** Messages that couldn't be imported. The next pass tries them again. */
export const mailImportErrors = pgTable(
  "mail_import_errors",
  {
    folderId: uuid()
      .notNull()
      .references(() => mailImportFolders.id, { onDelete: "cascade" }),
    /** At the source. */
    uid: bigint({ mode: "number" }).notNull(),
    reason: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ name: "mail_import_errors_pkey", columns: [t.folderId, t.uid] })],
);

export type MailImport = typeof mailImports.$inferSelect;
export type MailImportFolder = typeof mailImportFolders.$inferSelect;
