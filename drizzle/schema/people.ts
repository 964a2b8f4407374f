import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { bytea, createdAt, id, moment } from "./columns.ts";
import { admins, companies } from "./companies.ts";
import { mailboxes } from "./mailboxes.ts";
import { orgUnits } from "./org-units.ts";
import { identityProviders } from "./single-sign-on.ts";

/**
 * A person who signs in to the console and may be an admin of several companies. Password and second
 * factors belong to the person, privileges to the admin row in each company.
 */
export const people = pgTable(
  "people",
  {
    /** Lowercase. */
    email: text().primaryKey(),
    /** Argon2id in PHC form; null if the person can't sign in with a password. */
    passwordHash: text(),
    /** Manages this instance: companies, plans, queues. */
    isOperator: boolean().notNull().default(false),
    /**
     * When the person first proved that they receive mail at the address, or the operator confirmed it. Null
     * if they joined through a link that the inviter sent them, since another person may have used it.
     */
    emailProvenAt: moment(),
    /** Encrypted; null while no authenticator app is set up. */
    totpSecret: text(),
    /** The time step (RFC 6238) of the last accepted code, to prevent reuse. */
    totpLastStep: bigint({ mode: "number" }),
    /** The company whose console they opened last, shown again at the next sign-in. It may be deleted. */
    lastCompanyId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [check("people_email_lowercase", sql`${t.email} = lower(${t.email})`)],
);

const personOf = () =>
  text()
    .notNull()
    .references(() => people.email, { onDelete: "cascade", onUpdate: "cascade" });

/** Recovery codes for a lost authenticator. Each works once. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    email: personOf(),
    /** Hex SHA-256: a code has 80 bits of entropy. */
    codeHash: text().notNull(),
    usedAt: moment(),
  },
  (t) => [primaryKey({ name: "recovery_codes_pkey", columns: [t.email, t.codeHash] })],
);

/** WebAuthn credentials. */
export const passkeys = pgTable(
  "passkeys",
  {
    /** The credential id, base64url. */
    id: text().primaryKey(),
    email: personOf(),
    name: text().notNull(),
    publicKey: bytea().notNull(),
    /** The authenticator's signature counter; zero if it has none. */
    counter: bigint({ mode: "number" }).notNull().default(0),
    transports: text().array().notNull().default([]),
    createdAt: createdAt(),
    lastUsedAt: moment(),
  },
  (t) => [index("passkeys_email_idx").on(t.email, t.createdAt)],
);

/**
 * Unfinished steps of a sign-in, kept for some minutes: the second factor after the password, a passkey
 * challenge, a password reset by link. A link for a new mailbox user is kept for days. Each is used once.
 */
export const signInSteps = pgTable(
  "sign_in_steps",
  {
    /** Hex SHA-256 of the token in the browser or link, or of a session's id. */
    tokenHash: text().primaryKey(),
    kind: text({
      enum: [
        ...(["second_factor", "passkey_sign_in", "passkey_add", "passkey_confirm"] as const),
        ...(["totp_add", "password_reset", "password_reset_at_server"] as const),
        ...(["mailbox_password", "provider_sign_in", "provider_confirm"] as const),
      ],
    }).notNull(),
    /** Null until the person is known. */
    email: text().references(() => people.email, { onDelete: "cascade", onUpdate: "cascade" }),
    /** The mailbox whose password a link sets; null for steps of admins. */
    mailbox: text().references(() => mailboxes.address, {
      onDelete: "cascade",
      onUpdate: "cascade",
    }),
    /** The challenge to be signed, or the encrypted secret to be confirmed. */
    secret: text(),
    /** The identity provider that was used instead of a password. */
    providerId: uuid().references(() => identityProviders.id, { onDelete: "cascade" }),
    /** Wrong codes so far. */
    failures: bigint({ mode: "number" }).notNull().default(0),
    expiresAt: moment().notNull(),
  },
  (t) => [
    index("sign_in_steps_expiry_idx").on(t.expiresAt),
    index("sign_in_steps_person_idx").on(t.email),
    index("sign_in_steps_mailbox_idx").on(t.mailbox),
  ],
);

/** An invitation to become an admin. Deleted when accepted, withdrawn or expired. */
export const invitations = pgTable(
  "invitations",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Lowercase. */
    email: text().notNull(),
    name: text().notNull().default(""),
    isOwner: boolean().notNull().default(false),
    roleIds: uuid().array().notNull().default([]),
    /** Hex SHA-256 of the token in the emailed link. */
    tokenHash: text().notNull(),
    /** Same for the link that the inviter may send, which doesn't prove the address. */
    copiedTokenHash: text().notNull(),
    /** The inviter's address, for display. */
    invitedBy: text().notNull(),
    /** `admin` or `operator`: whose privileges are checked again on acceptance. */
    inviterKind: text({ enum: ["admin", "operator"] })
      .notNull()
      .default("admin"),
    expiresAt: moment().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("invitations_email_key").on(t.companyId, t.email),
    uniqueIndex("invitations_token_hash_key").on(t.tokenHash),
    uniqueIndex("invitations_copied_token_hash_key").on(t.copiedTokenHash),
    check("invitations_email_lowercase", sql`${t.email} = lower(${t.email})`),
  ],
);

/** A person's console preferences, by name. */
export const preferences = pgTable("preferences", {
  email: text()
    .primaryKey()
    .references(() => people.email, { onDelete: "cascade", onUpdate: "cascade" }),
  /** For example, that a checklist was dismissed. */
  choices: jsonb().$type<Record<string, unknown>>().notNull().default({}),
});

export type Person = typeof people.$inferSelect;

/** A set of privileges assigned to admins together, in addition to `admins.privileges`. */
export const roles = pgTable(
  "roles",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    name: text().notNull(),
    privileges: text().array().notNull().default([]),
    /**
     * Limits the role to this unit and those below; null for the whole company. A limited role only grants
     * the privileges about mailboxes (UNIT_PRIVILEGES in server/core/access/privileges).
     */
    orgUnitId: integer().references(() => orgUnits.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [index("roles_company_idx").on(t.companyId, t.name)],
);

export const adminRoles = pgTable(
  "admin_roles",
  {
    adminId: uuid()
      .notNull()
      .references(() => admins.id, { onDelete: "cascade" }),
    roleId: uuid()
      .notNull()
      .references(() => roles.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ name: "admin_roles_pkey", columns: [t.adminId, t.roleId] })],
);
