import { and, eq, gt, inArray, type SQL, sql, type SQLWrapper } from "drizzle-orm";

import { appPasswords, mailboxes, mailboxSignIns } from "#drizzle/schema/index.ts";
import type { PolicyName } from "#server/core/mailboxes/org-units/read-effective-policies.ts";
import type { Context } from "#server/core/shared/context.ts";

const SINCE = sql`statement_timestamp() - interval '7 days'`;

const hasSignedIn = (time: SQLWrapper): SQL => sql`exists (
  select from ${mailboxSignIns}
  where ${mailboxSignIns.address} = ${mailboxes.address} and ${time} > extract(epoch from ${SINCE}))`;

/** Whether the mailbox used what the policy allows in the last seven days. */
const USED: Partial<Record<PolicyName, SQL>> = {
  imapAllowed: hasSignedIn(mailboxSignIns.lastSignIn),
  pop3Allowed: hasSignedIn(mailboxSignIns.lastPop3),
  appPasswordsAllowed: sql`exists (
    select from ${appPasswords}
    where ${and(eq(appPasswords.mailbox, mailboxes.address), gt(appPasswords.lastUsedAt, SINCE))})`,
};

/**
 * The mailboxes of the units that used what the policy allows in the last seven days. Null if that isn't
 * known for the policy.
 */
export async function countPolicyUse(
  { db, companyId }: Context,
  policy: PolicyName,
  unitIds: number[],
): Promise<number | null> {
  const isUsed = USED[policy];
  if (!isUsed) return null;
  return db.$count(
    mailboxes,
    and(eq(mailboxes.companyId, companyId), inArray(mailboxes.orgUnitId, unitIds), isUsed),
  );
}
