import { eq, sql } from "drizzle-orm";
import { bigint, pgTable, text } from "drizzle-orm/pg-core";

import {
  mailboxes,
  mailboxPasskeys,
  mailboxRecoveryCodes,
  passkeys,
  recoveryCodes,
} from "#drizzle/schema/index.ts";
import type { SignInOrigin } from "#server/core/access/sign-in/throttle.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-admins.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

type StoredPasskey = {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
};

/** The second factors of an admin or a mailbox user. */
export type Factors = {
  hasTotp: boolean;
  passkeys: StoredPasskey[];
  /** Unused recovery codes. */
  recoveryCodesLeft: number;
  /** Whether a company that the admin can open, or the operators' setting, requires a second factor. */
  isRequired: boolean;
};

const NONE = { hasTotp: false, recoveryCodesLeft: 0, isRequired: false, passkeys: [] };

/** Reads the second factors of an account; none for an unknown address. */
export async function getFactors(db: Db, account: FactorAccount): Promise<Factors> {
  const { accounts, passkeys, recoveryCodes } = factorTables(account);
  const { operator_second_factor: ofOperators } = await currentSettings(db);
  const isRequired = sql`(${IS_REQUIRED} or people.is_operator and ${ofOperators === "required"})`;
  const [factors] = await db.execute<Factors>(sql`
    select ${accounts.totpSecret} is not null as "hasTotp",
      (select count(*) from ${recoveryCodes}
        where ${recoveryCodes.email} = ${accounts.email} and ${recoveryCodes.usedAt} is null)::int
        as "recoveryCodesLeft",
      ${account.kind === "person" ? isRequired : sql`false`} as "isRequired",
      (select coalesce(json_agg(json_build_object('id', ${passkeys.id}, 'name', ${passkeys.name},
          'createdAt', ${passkeys.createdAt}, 'lastUsedAt', ${passkeys.lastUsedAt})
          order by ${passkeys.createdAt}), '[]')
        from ${passkeys} where ${passkeys.email} = ${accounts.email}) as passkeys
    from ${accounts} where ${accounts.email} = ${account.email}`);
  return factors ?? NONE;
}

const IS_REQUIRED = sql`exists (
  select from admins a join companies c on c.id = a.company_id
  where a.email = people.email and a.disabled_at is null and c.suspended_at is null
    and c.second_factor_required)`;

export const hasSecondFactor = ({ hasTotp, passkeys }: Factors) => hasTotp || passkeys.length > 0;

/** Locks an account's factors until the transaction ends and returns them. */
export async function lockFactors(db: Db, account: FactorAccount): Promise<Factors> {
  const { accounts } = factorTables(account);
  await db
    .select({ email: accounts.email })
    .from(accounts)
    .where(eq(accounts.email, account.email))
    .for("update");
  return getFactors(db, account);
}

/** Kind of change; audited with the prefix `second_factor.`. */
export type FactorChange = Exclude<PersonalNotice, "password_changed">;

/** Whose factors: an admin's, or a mailbox user's. `email` is the address they sign in with. */
export type FactorAccount = { kind: "person" | "mailbox"; email: string };

/** Someone who is signed in and changes their own factors. */
export type FactorOwner = FactorAccount & {
  name: string;
  sessionId: string;
  /**
   * Checks the password. Wrong ones count toward the sign-in limits.
   *
   * @param shown.password undefined if the identity provider has verified the user instead
   * @throws Refusal `invalid` beginning with `current_password`, `rate_limit_exceeded`
   */
  requirePassword(
    db: Db,
    shown: { password: string | undefined; clientAddress: string },
  ): Promise<void>;
  /** Call in the transaction of each change of factors. */
  afterChange(db: Db, what: FactorChange, details?: Record<string, unknown>): Promise<void>;
  /** Call in the transaction that adds the first factor. Ends all sessions but this one. */
  afterTurnedOn(db: Db): Promise<void>;
  /** Gives the session a new id and returns its Set-Cookie value. */
  renewSession(db: Db, origin: SignInOrigin): Promise<string>;
};

export const personAccount = (email: string): FactorAccount => ({ kind: "person", email });
export const mailboxAccount = (email: string): FactorAccount => ({ kind: "mailbox", email });

/**
 * The columns that factors need of `people` and `mailboxes`. With their names: drizzle caches derived names by table, and
 * the other columns of the real tables would be missing there.
 */
const accountsIn = (table: string, email: string) =>
  pgTable(table, {
    email: text(email).primaryKey(),
    totpSecret: text("totp_secret"),
    totpLastStep: bigint("totp_last_step", { mode: "number" }),
  });

const TABLES = {
  person: { accounts: accountsIn("people", "email"), passkeys, recoveryCodes },
  mailbox: {
    accounts: accountsIn("mailboxes", "address"),
    passkeys: mailboxPasskeys,
    recoveryCodes: mailboxRecoveryCodes,
  },
};

/** The tables that hold an account's factors. */
export const factorTables = ({ kind }: Pick<FactorAccount, "kind">) => TABLES[kind];

/** Whether a mailbox has an authenticator app or a passkey. Mail apps then need app passwords. */
export const mailboxHasFactor = sql<boolean>`(${mailboxes.totpSecret} is not null
  or exists (select from ${mailboxPasskeys} where ${mailboxPasskeys.email} = ${mailboxes.address}))`;
