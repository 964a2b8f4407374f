import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

import { bytea, createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/**
 * Who signs in at the console. One person may be an admin of several companies: password and second
 * factors are the person's, rights are those of the admin row in each company.
 */
export const people = pgTable(
  "people",
  {
    /** Lowercase. */
    email: text().primaryKey(),
    /** Argon2id in PHC form; null for a person who cannot sign in with a password. */
    passwordHash: text(),
    /** Runs this instance: companies, plans, queues. */
    isOperator: boolean().notNull().default(false),
    /**
     * When they first showed that they read mail of the address, or who runs the server vouched for them.
     * Null for who joined by a link that was passed on by hand: it may be somebody else.
     */
    emailProvenAt: moment(),
    /** Sealed; null while no authenticator app is set up. */
    totpSecret: text(),
    /** The time step (RFC 6238) of the last code that was taken: none is taken twice. */
    totpLastStep: bigint({ mode: "number" }),
    /** Whose console they opened last: of several companies they come back to it. It may be gone. */
    lastCompanyId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [check("people_email_lowercase", sql`${t.email} = lower(${t.email})`)],
);

const personOf = () =>
  text()
    .notNull()
    .references(() => people.email, { onDelete: "cascade", onUpdate: "cascade" });

/** Codes for the day the telephone is lost. Each opens once. */
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
    /** The authenticator's signature counter; zero where it has none. */
    counter: bigint({ mode: "number" }).notNull().default(0),
    transports: text().array().notNull().default([]),
    createdAt: createdAt(),
    lastUsedAt: moment(),
  },
  (t) => [index("passkeys_email_idx").on(t.email, t.createdAt)],
);

/**
 * Steps of signing in that are not over, for some minutes: the second factor after the password, what a
 * passkey has to sign, a new password by a link. Each is used once.
 */
export const signInSteps = pgTable(
  "sign_in_steps",
  {
    /** Hex SHA-256 of the token that the browser, or the link, holds; of a session's id for what it does. */
    tokenHash: text().primaryKey(),
    kind: text({
      enum: [
        ...(["second_factor", "passkey_sign_in", "passkey_add", "passkey_confirm"] as const),
        ...(["totp_add", "password_reset", "password_reset_at_server"] as const),
      ],
    }).notNull(),
    /** Null while nobody has said who they are. */
    email: text().references(() => people.email, { onDelete: "cascade", onUpdate: "cascade" }),
    /** The challenge to be signed, or the sealed secret to be confirmed. */
    secret: text(),
    /** Wrong codes so far. */
    failures: bigint({ mode: "number" }).notNull().default(0),
    expiresAt: moment().notNull(),
  },
  (t) => [
    index("sign_in_steps_expiry_idx").on(t.expiresAt),
    index("sign_in_steps_person_idx").on(t.email),
  ],
);

/** Somebody asked to become an admin. Gone when taken, withdrawn or over. */
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
    /** Hex SHA-256 of the token in the link that is mailed. */
    tokenHash: text().notNull(),
    /** And of the one that who asked may pass on by hand: it does not prove the address. */
    copiedTokenHash: text().notNull(),
    /** Who asked, as a person reads it: their address. */
    invitedBy: text().notNull(),
    /** `admin` or `operator`: whose rights are judged again when it is taken. */
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

/** How a person likes the console, by name of the choice. */
export const preferences = pgTable("preferences", {
  email: text()
    .primaryKey()
    .references(() => people.email, { onDelete: "cascade", onUpdate: "cascade" }),
  /** Such as a checklist that was put away. */
  choices: jsonb().$type<Record<string, unknown>>().notNull().default({}),
});

export type Person = typeof people.$inferSelect;
