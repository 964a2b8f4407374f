import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  pgView,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { addresses } from "./addresses.ts";
import { createdAt, moment } from "./columns.ts";
import { companies } from "./companies.ts";
import { domains } from "./domains.ts";
import { orgUnits } from "./org-units.ts";

/** The hosts that store mailboxes. Empty if there is only one, and it has no name (POSTHOUSE_MAIL_HOST). */
export const mailHosts = pgTable("mail_hosts", {
  /** How the other hosts reach it. */
  name: text().primaryKey(),
  /** The address that `name` resolved to. */
  address: text().notNull(),
  /** Shown to other mail hosts, PEM. */
  certificate: text().notNull(),
  /** Renewed while it runs. */
  seenAt: createdAt(),
  createdAt: createdAt(),
});

/** A mailbox in Dovecot, named by its address. */
export const mailboxes = pgTable(
  "mailboxes",
  {
    /** Lowercase. */
    address: text()
      .primaryKey()
      .references(() => addresses.address, { onDelete: "cascade" }),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    domainId: uuid()
      .notNull()
      .references(() => domains.id, { onDelete: "restrict" }),
    orgUnitId: integer()
      .notNull()
      .references(() => orgUnits.id),
    name: text().notNull(),
    /** Argon2id in PHC form. */
    passwordHash: text().notNull(),
    quotaMb: integer().notNull(),
    /**
     * Its folder below `mail` in the data folder: `example.com/ann-3f9a1c2b`. A mailbox created again under
     * the address of a deleted one gets another folder, so the old mail can be deleted in the background.
     */
    store: text().notNull(),
    /** The host that has the folder. Null if there is only one, without a name. */
    storeHost: text().references(() => mailHosts.name),
    /** While set, mail is still received but the user cannot sign in. */
    suspendedAt: moment(),
    forcePasswordChange: boolean().notNull().default(false),
    /** While set, its outgoing mail is on hold: its password may have been stolen. */
    sendingHeldAt: moment(),
    /** The language that the user chose; null for the browser's, and the company's in emails. */
    language: text(),
    /** Encrypted; null while no authenticator app is set up. */
    totpSecret: text(),
    /** The time step (RFC 6238) of the last accepted code, to prevent reuse. */
    totpLastStep: bigint({ mode: "number" }),
    createdAt: createdAt(),
  },
  (t) => [
    index("mailboxes_company_idx").on(t.companyId, t.address),
    index("mailboxes_unit_idx").on(t.orgUnitId),
    uniqueIndex("mailboxes_store_key").on(t.store),
    index("mailboxes_store_host_idx").on(t.storeHost),
    check("mailboxes_address_lowercase", sql`${t.address} = lower(${t.address})`),
  ],
);

/** Mailboxes that are being moved to another mail host, by the one that has them. */
export const mailboxMoves = pgTable("mailbox_moves", {
  mailbox: text()
    .primaryKey()
    .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" }),
  fromHost: text()
    .notNull()
    .references(() => mailHosts.name),
  toHost: text()
    .notNull()
    .references(() => mailHosts.name),
  requestedAt: createdAt(),
  /** When `mailboxes.store_host` changed, after a first copy. */
  switchedAt: moment(),
  /** When what arrived during the first copy had been copied too. The old copy is deleted a while later. */
  copiedAt: moment(),
  /** Why the last attempt failed. */
  problem: text(),
});

/** Storage in use, written by Dovecot's quota_clone plugin. No foreign key: Dovecot writes at any time. */
export const mailboxUsage = pgTable("mailbox_usage", {
  address: text().primaryKey(),
  usedBytes: bigint({ mode: "number" }).notNull().default(0),
  messages: bigint({ mode: "number" }).notNull().default(0),
});

/** Last sign-ins, in Unix seconds. Dovecot's last_login plugin writes those from mail apps. */
export const mailboxSignIns = pgTable("mailbox_sign_ins", {
  address: text().primaryKey(),
  /** With IMAP; times from before `last_pop3` existed may be of either protocol. */
  lastSignIn: bigint({ mode: "number" }).notNull().default(0),
  lastPop3: bigint({ mode: "number" }).notNull().default(0),
  /** At `/account`. */
  lastAccount: bigint({ mode: "number" }).notNull().default(0),
});

/** Mailboxes that are full or nearly full, until they have space again. */
export const fullMailboxes = pgTable(
  "full_mailboxes",
  {
    address: text()
      .primaryKey()
      .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" }),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** False: nearly full. */
    isFull: boolean().notNull(),
    /** When admins were notified; null until then. */
    noticedAt: moment(),
  },
  (t) => [index("full_mailboxes_company_idx").on(t.companyId)],
);

/** Mail of deleted mailboxes that is still on disk: the folder is deleted, then the row. */
export const removedStores = pgTable(
  "removed_stores",
  {
    store: text().notNull(),
    /** The host that deletes it. Null if there is only one, without a name. */
    storeHost: text().references(() => mailHosts.name, { onDelete: "cascade" }),
    address: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [unique("removed_stores_store_key").on(t.store, t.storeHost).nullsNotDistinct()],
);

/**
 * The effective policies of each mailbox: the nearest value going up from its unit, or the default. Looked
 * up by address, in as many steps as the tree is deep.
 */
export const mailboxPolicies = pgView("mailbox_policies", {
  address: text().notNull(),
  imapAllowed: boolean().notNull(),
  pop3Allowed: boolean().notNull(),
  submissionAllowed: boolean().notNull(),
  calendarAllowed: boolean().notNull(),
  outsideAllowed: boolean().notNull(),
  /** `forbidden` for mailboxes that may not write to outside addresses either. */
  forwarding: text({ enum: ["allowed", "confirmed", "forbidden"] }).notNull(),
  appPasswordsAllowed: boolean().notNull(),
  passwordLengthMin: integer().notNull(),
  quarantineDigest: text({ enum: ["off", "daily"] }).notNull(),
  quarantineRelease: text({ enum: ["none", "spam"] }).notNull(),
  /** Off for all while the setting of that name is. */
  fullTextSearch: text({ enum: ["off", "on"] }).notNull(),
}).as(sql`
  select m.address,
    coalesce(p.imap_allowed, true) as imap_allowed,
    coalesce(p.pop3_allowed, true) as pop3_allowed,
    coalesce(p.submission_allowed, true) as submission_allowed,
    coalesce(p.calendar_allowed, true) as calendar_allowed,
    coalesce(p.outside_allowed, true) as outside_allowed,
    case when p.outside_allowed is false then 'forbidden'
      else coalesce(p.forwarding, 'confirmed') end as forwarding,
    coalesce(p.app_passwords_allowed, true) as app_passwords_allowed,
    coalesce(p.password_length_min, 12) as password_length_min,
    coalesce(p.quarantine_digest, 'off') as quarantine_digest,
    coalesce(p.quarantine_release, 'none') as quarantine_release,
    case when exists (select from settings where name = 'full_text_search' and value = '"on"')
      then coalesce(p.full_text_search, 'on') else 'off' end as full_text_search
  from mailboxes m cross join lateral (
    with recursive up as (
      select u.*, 0 as height from org_units u where u.id = m.org_unit_id
      union all
      select u.*, up.height + 1 from org_units u join up on u.id = up.parent_id
    )
    select
      (array_agg(imap_allowed order by height) filter (where imap_allowed is not null))[1] as imap_allowed,
      (array_agg(pop3_allowed order by height) filter (where pop3_allowed is not null))[1] as pop3_allowed,
      (array_agg(submission_allowed order by height) filter (where submission_allowed is not null))[1] as submission_allowed,
      (array_agg(calendar_allowed order by height) filter (where calendar_allowed is not null))[1] as calendar_allowed,
      (array_agg(outside_allowed order by height) filter (where outside_allowed is not null))[1] as outside_allowed,
      (array_agg(forwarding order by height) filter (where forwarding is not null))[1] as forwarding,
      (array_agg(app_passwords_allowed order by height) filter (where app_passwords_allowed is not null))[1] as app_passwords_allowed,
      (array_agg(password_length_min order by height) filter (where password_length_min is not null))[1] as password_length_min,
      (array_agg(quarantine_digest order by height) filter (where quarantine_digest is not null))[1] as quarantine_digest,
      (array_agg(quarantine_release order by height) filter (where quarantine_release is not null))[1] as quarantine_release,
      (array_agg(full_text_search order by height) filter (where full_text_search is not null))[1] as full_text_search
    from up
  ) p`);

export type Mailbox = typeof mailboxes.$inferSelect;
export type MailboxPolicy = typeof mailboxPolicies.$inferSelect;
