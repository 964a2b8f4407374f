import { and, desc, eq, gt, sql } from "drizzle-orm";

import { mailboxIdentities, messages, signInNetworks } from "#drizzle/schema/index.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  listAccountSessions,
  type ListedSession,
} from "#server/core/access/sessions/account-sessions.ts";
import {
  listMailAppSessions,
  type MailAppSession,
} from "#server/core/mailboxes/account/mail-app-sessions.ts";
import {
  listAppPasswords,
  type ListedAppPassword,
} from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import type { Rules } from "#server/core/mailboxes/mailbox-rules/compile-rules.ts";
import {
  listUnconfirmedForwards,
  resendRequest,
  type UnconfirmedForward,
} from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { getRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import {
  type EffectivePolicy,
  readEffectivePolicies,
} from "#server/core/mailboxes/org-units/unit-policies.ts";
import { findPendingLink, type PendingLink } from "#server/core/mailboxes/sign-in/password-link.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Context } from "#server/core/shared/context.ts";

import { viewableMailboxes } from "./mailbox-list.ts";
import { requireMailbox, requirePrivilegeIn } from "./require-mailbox.ts";

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

/** The policies, rules and sending limit that apply to a mailbox. */
export type EffectiveSettings = {
  policies: EffectivePolicy[];
  rules: Rules;
  unconfirmed: UnconfirmedForward[];
  /** Recipients that mail apps wrote to in the last 60 minutes, and the limit. */
  sending: { lastHour: number; hourlyMax: number; heldAt: string | null };
};

/** @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it */
export async function getEffectiveSettings(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
): Promise<EffectiveSettings> {
  const mailbox = await requireMailbox(ctx, named, viewableMailboxes(callerPrivileges));
  const { address, orgUnitId, sendingHeldAt } = mailbox;
  const rules = await getRules(ctx, address);
  const [policies, unconfirmed, lastHour, { hourly_recipients_mailbox: hourlyMax }] =
    await Promise.all([
      readEffectivePolicies(ctx, callerPrivileges, orgUnitId),
      listUnconfirmedForwards(ctx, address, rules.forwardTo),
      sentWithinHour(ctx, address),
      currentSettings(ctx.db),
    ]);
  return { policies, rules, unconfirmed, sending: { lastHour, hourlyMax, heldAt: sendingHeldAt } };
}

/**
 * Sends the request to a mailbox's forwarding address again.
 *
 * @throws Refusal as `resendRequest`; `not_found`; `invalid_permission` if `callerPrivileges` don't include its unit
 */
export async function resendForwardRequest(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
  target: string,
): Promise<void> {
  const { address, orgUnitId } = await requireMailbox(ctx, named);
  requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
  const { forwardTo } = await getRules(ctx, address);
  await resendRequest(ctx, address, { target, forwardTo });
}

async function sentWithinHour(ctx: Context, address: string): Promise<number> {
  const [sent] = await ctx.db
    .select({
      recipients: sql<number>`coalesce(sum(${messages.recipientCount}), 0)`.mapWith(Number),
    })
    .from(messages)
    .where(
      and(
        eq(messages.mailbox, address),
        eq(messages.origin, "submission"),
        gt(messages.createdAt, sql`clock_timestamp() - interval '1 hour'`),
      ),
    );
  return sent!.recipients;
}
