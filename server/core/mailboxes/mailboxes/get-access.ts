import { desc, eq } from "drizzle-orm";

import { signInNetworks } from "#drizzle/schema/index.ts";
import {
  listMailAppSessions,
  type MailAppSession,
} from "#server/core/mailboxes/account/mail-app-sessions.ts";
import {
  type ListedAppPassword,
  listAppPasswords,
} from "#server/core/mailboxes/app-passwords/list-app-passwords.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import {
  type ListedSession,
  listAccountSessions,
} from "#server/core/access/sessions/account-sessions.ts";

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
  const { address } = await requireMailbox(ctx, named, viewableMailboxes(callerPrivileges));
  const [appPasswords, browsers, mailApps, networks] = await Promise.all([
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
  ]);
  return { appPasswords, browsers, mailApps, networks };
}
