import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";

import { createdAt, moment } from "./columns.ts";
import { companies } from "./companies.ts";
import { domains } from "./domains.ts";

/** A person's mail store in Dovecot, named by its address. Dovecot reads its users from this table. */
export const mailboxes = pgTable(
  "mailboxes",
  {
    /** Lowercase. */
    address: text().primaryKey(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "restrict" }),
    name: text().notNull(),
    /** Argon2id in PHC form. */
    passwordHash: text().notNull(),
    quotaMb: integer().notNull(),
    /** While set, mail is still received but the user cannot sign in. */
    suspendedAt: moment(),
    forcePasswordChange: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    index("mailboxes_company_idx").on(t.companyId, t.address),
    check("mailboxes_address_lowercase", sql`${t.address} = lower(${t.address})`),
  ],
);

/** Storage in use, written by Dovecot's quota_clone plugin. No foreign key: Dovecot writes when it likes. */
export const mailboxUsage = pgTable("mailbox_usage", {
  address: text().primaryKey(),
  usedBytes: bigint({ mode: "number" }).notNull().default(0),
  messages: bigint({ mode: "number" }).notNull().default(0),
});

/** Last sign-in from a mail app, written by Dovecot's last_login plugin, in Unix seconds. */
export const mailboxSignIns = pgTable("mailbox_sign_ins", {
  address: text().primaryKey(),
  lastSignIn: bigint({ mode: "number" }).notNull().default(0),
});

export type Mailbox = typeof mailboxes.$inferSelect;
