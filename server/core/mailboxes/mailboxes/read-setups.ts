import { and, asc, eq, inArray } from "drizzle-orm";

import { mailboxes, mailboxPolicies } from "#drizzle/schema/index.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import {
  type MailboxSetup,
  createSetup,
} from "#server/core/mailboxes/client-settings/create-setup.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  hasPrivilegeIn,
  type HeldPrivileges,
  type UnitPrivilege,
} from "#server/core/access/privileges/held-privileges.ts";

/** Admins with one of these hand over mailboxes. */
const PRIVILEGES: UnitPrivilege[] = ["view_users", "create_users", "reset_user_passwords"];

/**
 * Connection details of the `named` mailboxes, by address. Leaves out mailboxes of other companies and those
 * that `callerPrivileges` don't include.
 */
export async function readSetups(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string[],
): Promise<(MailboxSetup & { name: string })[]> {
  const addresses = named.map(readBareAddress).filter((address) => address !== null);
  const { imapAllowed: imap, pop3Allowed: pop3, submissionAllowed: submission } = mailboxPolicies;
  const rows = await ctx.db
    .select({
      ...{ address: mailboxes.address, name: mailboxes.name, unit: mailboxes.orgUnitId },
      allowed: { imap, pop3, submission },
    })
    .from(mailboxes)
    .innerJoin(mailboxPolicies, eq(mailboxPolicies.address, mailboxes.address))
    .where(and(inArray(mailboxes.address, addresses), eq(mailboxes.companyId, ctx.companyId)))
    .orderBy(asc(mailboxes.address));
  return rows
    .filter(({ unit }) =>
      PRIVILEGES.some((privilege) => hasPrivilegeIn(callerPrivileges, privilege, unit)),
    )
    .map(({ address, name, allowed }) => ({ name, ...createSetup(address, allowed) }));
}
