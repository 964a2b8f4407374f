import { sql } from "drizzle-orm";

import { mailboxes, mailboxPasskeys } from "#drizzle/schema/index.ts";

/** Whether a mailbox has an authenticator app or a passkey. Mail apps then need app passwords. */
export const mailboxHasFactor = sql<boolean>`(${mailboxes.totpSecret} is not null
  or exists (select from ${mailboxPasskeys} where ${mailboxPasskeys.email} = ${mailboxes.address}))`;
