import { bigint, pgTable, text } from "drizzle-orm/pg-core";

import {
  mailboxPasskeys,
  mailboxRecoveryCodes,
  passkeys,
  people,
  recoveryCodes,
} from "#drizzle/schema/index.ts";

import type { FactorAccount } from "#server/core/access/second-factors/factor-owner.ts";

const PERSON_TABLES = { accounts: people, passkeys, recoveryCodes };

/** The mailboxes table with the columns of `people` that factors need. */
const mailboxAccounts = pgTable("mailboxes", {
  email: text("address").primaryKey(),
  totpSecret: text(),
  totpLastStep: bigint({ mode: "number" }),
});

/** The same columns under the same names, for mailbox users. */
const MAILBOX_TABLES = {
  accounts: mailboxAccounts,
  passkeys: mailboxPasskeys,
  recoveryCodes: mailboxRecoveryCodes,
} as unknown as typeof PERSON_TABLES;

/** The tables that hold an account's factors. */
export const factorTables = ({ kind }: Pick<FactorAccount, "kind">): typeof PERSON_TABLES =>
  kind === "person" ? PERSON_TABLES : MAILBOX_TABLES;
