import { sql } from "drizzle-orm";
import { boolean, check, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";

import { createdAt, id } from "./columns.ts";
import { admins, companies } from "./companies.ts";
import { mailboxes } from "./mailboxes.ts";

/** The OpenID Connect provider that a company's admins and mailbox users sign in with. A new issuer or client is a new row. */
export const identityProviders = pgTable(
  "identity_providers",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** As in the provider's own metadata and ID tokens. */
    issuer: text().notNull(),
    clientId: text().notNull(),
    /** Sealed with the instance key. */
    sealedClientSecret: text().notNull(),
    /** Only sessions that started with the provider open the company. */
    requiredForAdmins: boolean().notNull().default(false),
    /** Mailbox users can sign in at `/account` with the provider. */
    allowsMailboxes: boolean().notNull().default(false),
    /** Mailbox users can't sign in at `/account` or in mail apps with the mailbox password. App passwords still work. */
    requiredForMailboxes: boolean().notNull().default(false),
    /** Posthouse skips the second factor after single sign-on, because the provider asks for one itself. */
    isSecondFactor: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("identity_providers_company_key").on(t.companyId),
    check(
      "identity_providers_mailboxes_check",
      sql`${t.allowsMailboxes} or not ${t.requiredForMailboxes}`,
    ),
  ],
);

/** The account at the provider that an admin first signed in with. Others with the same address are rejected. */
export const adminIdentities = pgTable(
  "admin_identities",
  {
    providerId: uuid()
      .notNull()
      .references(() => identityProviders.id, { onDelete: "cascade" }),
    /** The `sub` claim, which never changes, unlike the address. */
    subject: text().notNull(),
    adminId: uuid()
      .notNull()
      .references(() => admins.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "admin_identities_pkey", columns: [t.providerId, t.subject] }),
    uniqueIndex("admin_identities_admin_key").on(t.adminId),
  ],
);

/** The account at the provider that a mailbox user first signed in with. */
export const mailboxIdentities = pgTable(
  "mailbox_identities",
  {
    providerId: uuid()
      .notNull()
      .references(() => identityProviders.id, { onDelete: "cascade" }),
    /** The `sub` claim. */
    subject: text().notNull(),
    mailbox: text()
      .notNull()
      .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "mailbox_identities_pkey", columns: [t.providerId, t.subject] }),
    uniqueIndex("mailbox_identities_mailbox_key").on(t.mailbox),
  ],
);

export type IdentityProvider = typeof identityProviders.$inferSelect;
