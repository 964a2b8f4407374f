import { eq, sql } from "drizzle-orm";

import {
  appPasswords,
  companies,
  mailboxes,
  mailboxPolicies,
  type MailboxPolicy,
} from "#drizzle/schema/index.ts";
import { mailboxHasFactor } from "#server/core/access/second-factors/mailbox-has-factor.ts";
import {
  isProviderRequired,
  signsInWithProvider,
} from "#server/core/access/single-sign-on/mailbox-provider.ts";
import type { Db } from "#server/db/client.ts";

/** What deciding about a sign-in needs. */
export type KnownMailbox = {
  address: string;
  companyId: string;
  domainId: string;
  name: string;
  passwordHash: string;
  isSuspended: boolean;
  forcePasswordChange: boolean;
  hasSecondFactor: boolean;
  /** The company's mailbox users have to sign in with its identity provider. */
  isProviderRequired: boolean;
  /** The mailbox user signs in with it, and may never have set a password. */
  signsInWithProvider: boolean;
  policy: MailboxPolicy;
  appPasswords: { id: string; secretHash: string }[];
};

/** Finds a mailbox by its lowercase address. Suspending a company suspends its mailboxes. */
export async function findMailbox(db: Db, address: string): Promise<KnownMailbox | null> {
  const [found] = await db
    .select({
      address: mailboxes.address,
      companyId: mailboxes.companyId,
      domainId: mailboxes.domainId,
      name: mailboxes.name,
      passwordHash: mailboxes.passwordHash,
      isSuspended: sql<boolean>`${mailboxes.suspendedAt} is not null or ${companies.suspendedAt} is not null`,
      forcePasswordChange: mailboxes.forcePasswordChange,
      hasSecondFactor: mailboxHasFactor,
      ...{ isProviderRequired, signsInWithProvider },
      policy: {
        address: mailboxPolicies.address,
        imapAllowed: mailboxPolicies.imapAllowed,
        pop3Allowed: mailboxPolicies.pop3Allowed,
        submissionAllowed: mailboxPolicies.submissionAllowed,
        outsideAllowed: mailboxPolicies.outsideAllowed,
        appPasswordsAllowed: mailboxPolicies.appPasswordsAllowed,
        passwordLengthMin: mailboxPolicies.passwordLengthMin,
        quarantineDigest: mailboxPolicies.quarantineDigest,
        quarantineRelease: mailboxPolicies.quarantineRelease,
      },
    })
    .from(mailboxes)
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .innerJoin(mailboxPolicies, eq(mailboxPolicies.address, mailboxes.address))
    .where(eq(mailboxes.address, address));
  // Also queried for unknown addresses, so that timing doesn't reveal them.
  const secrets = await db
    .select({ id: appPasswords.id, secretHash: appPasswords.secretHash })
    .from(appPasswords)
    .where(eq(appPasswords.mailbox, address));
  return found ? { ...found, appPasswords: secrets } : null;
}
