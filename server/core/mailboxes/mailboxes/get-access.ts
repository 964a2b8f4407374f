import { desc, eq } from "drizzle-orm";

import { mailboxIdentities, signInNetworks } from "#drizzle/schema/index.ts";
import {
  listMailAppSessions,
  type MailAppSession,
} from "#server/core/mailboxes/account/mail-app-sessions.ts";
import {
  type ListedAppPassword,
  listAppPasswords,
} from "#server/core/mailboxes/app-passwords/list-app-passwords.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  hasPrivilegeIn,
  type HeldPrivileges,
} from "#server/core/access/privileges/held-privileges.ts";
import {
  type ListedSession,
  listAccountSessions,
} from "#server/core/access/sessions/account-sessions.ts";
import {
  findPendingLink,
  type PendingLink,
} from "#server/core/mailboxes/sign-in/resend-password-link.ts";

import { requireMailbox } from "./require-mailbox.ts";
import { viewableMailboxes } from "./viewable-mailboxes.ts";

const NETWORKS_MAX = 10;

/** What can open a mailbox, and where it was opened from. */
export type MailboxAccess = {
  appPasswords: ListedAppPassword[];
  /** Sessions at `/account`. */
  browsers: ListedSession[];
  /** Null if the mail server doesn't respond. */
  mailApps: MailAppSession[] | null;
  /** Known networks, most recent first. */
  networks: { network: string; firstSeenAt: string; lastSeenAt: string }[];
  /** When an account at the identity provider was linked; null without one. */
  identityLinkedAt: string | null;
  /** For callers who can reset the password. */
  passwordLink: PendingLink | null;
};

/**
 * Lists a mailbox's credentials, sessions and known networks.
 *
 * @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it
 */
export async function getAccess(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
): Promise<MailboxAccess> {
  const mailbox = await requireMailbox(ctx, named, viewableMailboxes(callerPrivileges));
  const { address } = mailbox;
  const mayReset = hasPrivilegeIn(callerPrivileges, "reset_user_passwords", mailbox.orgUnitId);
  const [appPasswords, browsers, mailApps, networks, [identity], passwordLink] = await Promise.all([
    listAppPasswords(ctx, address),
    listAccountSessions(ctx, { address, sessionId: null }),
    listMailAppSessions(ctx, address),
    ctx.db
      .select({
        network: signInNetworks.network,
        firstSeenAt: signInNetworks.firstSeenAt,
        lastSeenAt: signInNetworks.lastSeenAt,
      })
      .from(signInNetworks)
      .where(eq(signInNetworks.account, address))
      .orderBy(desc(signInNetworks.lastSeenAt))
      .limit(NETWORKS_MAX),
    ctx.db
      .select({ linkedAt: mailboxIdentities.createdAt })
      .from(mailboxIdentities)
      .where(eq(mailboxIdentities.mailbox, address)),
    mayReset ? findPendingLink(ctx, address) : null,
  ]);
  const identityLinkedAt = identity?.linkedAt ?? null;
  return { appPasswords, browsers, mailApps, networks, identityLinkedAt, passwordLink };
}
