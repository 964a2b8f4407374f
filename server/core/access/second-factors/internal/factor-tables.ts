import { bigint, pgTable, text } from "drizzle-orm/pg-core";

import {
  mailboxPasskeys,
  mailboxRecoveryCodes,
  passkeys,
  recoveryCodes,
} from "#drizzle/schema/index.ts";

import type { FactorAccount } from "#server/core/access/second-factors/factor-owner.ts";

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
