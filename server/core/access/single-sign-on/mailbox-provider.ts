import { sql } from "drizzle-orm";

import { identityProviders, mailboxes, mailboxIdentities } from "#drizzle/schema/index.ts";

const { companyId, allowsMailboxes, requiredForMailboxes } = identityProviders;

/** Whether mailbox users of the company have to sign in with its provider. If so, mailbox passwords don't work anywhere. */
export const isProviderRequired = sql<boolean>`exists (
  select from ${identityProviders} where ${companyId} = ${mailboxes.companyId} and ${requiredForMailboxes})`;

/** Whether the mailbox user has to change the password, which matters only where it works. */
export const isPasswordChangeDue = sql<boolean>`${mailboxes.forcePasswordChange} and not ${isProviderRequired}`;

/**
 * Whether the mailbox user can sign in with the provider: it is required, or the mailbox is linked. They may never have
 * used the temporary password, so a password change that is due doesn't block app passwords.
 */
export const signsInWithProvider = sql<boolean>`exists (
  select from ${identityProviders} left join ${mailboxIdentities}
    on ${mailboxIdentities.providerId} = ${identityProviders.id}
      and ${mailboxIdentities.mailbox} = ${mailboxes.address}
  where ${companyId} = ${mailboxes.companyId} and ${allowsMailboxes}
    and (${requiredForMailboxes} or ${mailboxIdentities.mailbox} is not null))`;
