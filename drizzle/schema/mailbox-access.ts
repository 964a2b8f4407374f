import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  pgView,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { addresses } from "./addresses.ts";
import { bytea, createdAt, id, moment } from "./columns.ts";
import { groupsOfUnit } from "./groups.ts";
import { mailboxes } from "./mailboxes.ts";
import { identityProviders } from "./single-sign-on.ts";

const mailbox = () =>
  text()
    .notNull()
    .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" });

/** What an app password opens: `mail` is IMAP, POP3, ManageSieve and submission, `calendar` is calendars and contacts. */
export const appPasswordScope = pgEnum("app_password_scope", ["all", "mail", "calendar"]);

/** A generated password for one app. Never valid for web pages. */
export const appPasswords = pgTable(
  "app_passwords",
  {
    id: id(),
    mailbox: mailbox(),
    name: text().notNull(),
    scope: appPasswordScope().notNull().default("all"),
    /** Hex SHA-256. The secret has at least 80 bits of entropy, so a fast hash is enough. */
    secretHash: text().notNull(),
    createdAt: createdAt(),
    /** Written at most once a minute. */
    lastUsedAt: moment(),
    /** `imap`, `pop3`, `sieve`, `smtp`, `calendar`. */
    lastUsedFor: text(),
    lastUsedFrom: text(),
  },
  (t) => [
    uniqueIndex("app_passwords_secret_hash_key").on(t.mailbox, t.secretHash),
    index("app_passwords_mailbox_idx").on(t.mailbox, t.createdAt),
  ],
);

/** Named as in the `people` tables, so that the same code handles both. */
const mailboxEmail = () =>
  text("mailbox")
    .notNull()
    .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" });

/** Recovery codes of a mailbox user, like `recovery_codes` of a person. */
export const mailboxRecoveryCodes = pgTable(
  "mailbox_recovery_codes",
  { email: mailboxEmail(), codeHash: text().notNull(), usedAt: moment() },
  (t) => [primaryKey({ name: "mailbox_recovery_codes_pkey", columns: [t.email, t.codeHash] })],
);

/** WebAuthn credentials of a mailbox user, like `passkeys` of a person. */
export const mailboxPasskeys = pgTable(
  "mailbox_passkeys",
  {
    id: text().primaryKey(),
    email: mailboxEmail(),
    name: text().notNull(),
    publicKey: bytea().notNull(),
    counter: bigint({ mode: "number" }).notNull().default(0),
    transports: text().array().notNull().default([]),
    createdAt: createdAt(),
    lastUsedAt: moment(),
  },
  (t) => [index("mailbox_passkeys_mailbox_idx").on(t.email, t.createdAt)],
);

/** Sessions at `/account`. Table shape and names follow lucia's adapter, plus what the session list shows. */
export const mailboxSessions = pgTable(
  "mailbox_sessions",
  {
    id: text().primaryKey(),
    userId: mailbox(),
    /** A Date as in `sessions`, because lucia's adapter requires it. */
    expiresAt: timestamp({ withTimezone: true, precision: 6, mode: "date" }).notNull(),
    createdAt: createdAt(),
    clientAddress: text(),
    userAgent: text(),
    /** The identity provider that signed the user in; null after a password. */
    providerId: uuid().references(() => identityProviders.id, { onDelete: "cascade" }),
    /** When webmail's password for this session expires; null if webmail wasn't opened. */
    webmailUntil: moment(),
  },
  (t) => [index("mailbox_sessions_user_idx").on(t.userId)],
);

/** An automatic reply during an absence (RFC 5230, RFC 3834). */
export type Vacation = {
  isOn: boolean;
  subject: string;
  text: string;
  /** First and last day, as `2026-12-24`; null for no bound. */
  startsOn: string | null;
  endsOn: string | null;
  /** The time zone of these days: an IANA name, such as `Europe/Berlin`. */
  timeZone: string;
};

/** A rule for incoming mail: an action if all (or any) conditions match. */
export type MailFilter = {
  name: string;
  isOn: boolean;
  match: "all" | "any";
  conditions: { field: "from" | "to" | "subject"; test: "contains" | "is"; value: string }[];
  action:
    { kind: "file"; folder: string } | { kind: "flag" } | { kind: "read" } | { kind: "discard" };
};

/** A mailbox user's settings for incoming mail. Dovecot runs `script`, generated from the rest. */
export const mailboxRules = pgTable("mailbox_rules", {
  mailbox: mailbox().primaryKey(),
  /** Addresses that receive a copy of incoming mail, as the mailbox user wrote them. */
  forwardTo: text().array().notNull().default([]),
  keepCopy: boolean().notNull().default(true),
  vacation: jsonb().$type<Vacation>(),
  filters: jsonb().$type<MailFilter[]>().notNull().default([]),
  /** Sieve (RFC 5228), generated from the settings above by server/core/mailboxes/mailbox-rules. */
  script: text().notNull().default(""),
  /** Changes with each version of the script, so that Dovecot knows when to reload it. */
  scriptId: text().notNull(),
  updatedAt: moment()
    .notNull()
    .default(sql`clock_timestamp()`),
});

/** Forwarding addresses that failed repeatedly and are suspended. */
export const forwardSuspensions = pgTable(
  "forward_suspensions",
  {
    mailbox: mailbox(),
    /** Lowercase. */
    target: text().notNull(),
    /** Enhanced status code and server reply of the last failure. */
    dsn: text().notNull(),
    reply: text().notNull(),
    suspendedAt: moment().notNull(),
    /** When the mailbox user resumed forwarding; only later failures count. Null while suspended. */
    resumedAt: moment(),
  },
  (t) => [primaryKey({ name: "forward_suspensions_pkey", columns: [t.mailbox, t.target] })],
);

/** Requests to addresses outside the company to confirm that a mailbox may forward mail to them, with the answers. */
export const forwardConfirmations = pgTable(
  "forward_confirmations",
  {
    id: id(),
    mailbox: mailbox(),
    /** Lowercase. */
    target: text().notNull(),
    /** As the mailbox user wrote it. */
    written: text().notNull(),
    requestedAt: moment()
      .notNull()
      .default(sql`clock_timestamp()`),
    /** How many requests were sent; starts again after a long pause. */
    requests: integer().notNull().default(1),
    /** The mailbox user's own script forwards there, not the rules. */
    isFromScript: boolean().notNull(),
    /** Both null until the address answers. A declined request isn't repeated for any mailbox of the company. */
    confirmedAt: moment(),
    declinedAt: moment(),
  },
  (t) => [
    uniqueIndex("forward_confirmations_mailbox_target_key").on(t.mailbox, t.target),
    // Counts the requests that an address got lately.
    index("forward_confirmations_target_idx").on(t.target),
  ],
);

/** Networks of successful sign-ins: an IPv4 address, or the /64 of an IPv6 address. */
export const signInNetworks = pgTable(
  "sign_in_networks",
  {
    /** Address of a mailbox or of an admin, lowercase. */
    account: text().notNull(),
    network: text().notNull(),
    firstSeenAt: createdAt(),
    lastSeenAt: createdAt(),
    /** The last sign-in with a second factor. */
    secondFactorAt: moment(),
  },
  (t) => [primaryKey({ name: "sign_in_networks_pkey", columns: [t.account, t.network] })],
);

/**
 * Recipients that a mailbox has written to: a mailbox that suddenly writes to many new ones may be
 * compromised.
 */
export const mailboxContacts = pgTable(
  "mailbox_contacts",
  { mailbox: mailbox(), contact: text().notNull(), createdAt: createdAt() },
  (t) => [primaryKey({ name: "mailbox_contacts_pkey", columns: [t.mailbox, t.contact] })],
);

export type ForwardSuspension = typeof forwardSuspensions.$inferSelect;

export type AppPassword = typeof appPasswords.$inferSelect;

export type MailboxRules = typeof mailboxRules.$inferSelect;

export const shareAccess = pgEnum("share_access", ["read", "write"]);

/** Who else can open a mailbox in a mail app: another mailbox of the company, or the members of a group of the company. */
export const mailboxShares = pgTable(
  "mailbox_shares",
  {
    mailbox: text()
      .notNull()
      .references(() => mailboxes.address, { onDelete: "cascade", onUpdate: "cascade" }),
    /** A mailbox or a group. */
    member: text()
      .notNull()
      .references(() => addresses.address, { onDelete: "cascade" }),
    access: shareAccess().notNull(),
    /** Whether the member can send as the mailbox. */
    sendAs: boolean().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "mailbox_shares_pkey", columns: [t.mailbox, t.member] }),
    index("mailbox_shares_member_idx").on(t.member),
  ],
);

export type MailboxShare = typeof mailboxShares.$inferSelect;

/**
 * What mailbox users can open besides their own mailbox, directly or through groups, also nested ones. Only mailboxes of
 * the same company.
 */
export const mailboxViewers = pgView("mailbox_viewers", {
  viewer: text().notNull(),
  mailbox: text().notNull(),
  canWrite: boolean().notNull(),
  canSendAs: boolean().notNull(),
  /** Whether the same mail host stores both. Only then can Dovecot open it. */
  isNear: boolean().notNull(),
}).as(sql`
  select v.address as viewer, s.mailbox,
    bool_or(s.access = 'write') as can_write, bool_or(s.send_as) as can_send_as,
    bool_and(m.store_host is not distinct from v.store_host) as is_near
  from mailboxes v cross join lateral (
      with recursive up as (
        (select v.address union all select l.address from aliases l where l.mailbox = v.address and l.active
          union all select g.address from groups g where g.active and g.address in ${groupsOfUnit(sql`v.org_unit_id`)})
        union
        select g.address from up
          join group_members gm on gm.member = up.address
          join groups g on g.address = gm.group_address and g.active and g.company_id = v.company_id
      )
      select up.address from up
    ) own
    join mailbox_shares s on s.member = own.address and s.mailbox <> v.address
    join mailboxes m on m.address = s.mailbox and m.company_id = v.company_id
  group by v.address, s.mailbox`);
