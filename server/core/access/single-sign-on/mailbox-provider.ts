import { sql } from "drizzle-orm";

import { identityProviders, mailboxes, mailboxIdentities } from "#drizzle/schema/index.ts";

const { companyId, allowsMailboxes, requiredForMailboxes } = identityProviders;

/** Whether mailbox users of the company have to sign in with its provider. The mailbox password then opens nothing. */
export const isProviderRequired = sql<boolean>`exists (
  select from ${identityProviders} where ${companyId} = ${mailboxes.companyId} and ${requiredForMailboxes})`;

/**
 * Whether the mailbox user signs in with the provider. They may never have used the temporary password, so it doesn't keep
 * app passwords from working.
 */
export const signsInWithProvider = sql<boolean>`exists (
  select from ${identityProviders} left join ${mailboxIdentities}
    on ${mailboxIdentities.providerId} = ${identityProviders.id}
      and ${mailboxIdentities.mailbox} = ${mailboxes.address}
  where ${companyId} = ${mailboxes.companyId} and ${allowsMailboxes}
    and (${requiredForMailboxes} or ${mailboxIdentities.mailbox} is not null))`;
