import { and, desc, eq, gt, sql } from "drizzle-orm";

import { auditEntries, signInSteps } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { endMailboxSteps } from "#server/core/access/sign-in/steps.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { lockMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { requirePrivilegeIn } from "#server/core/mailboxes/mailboxes/require-privilege-in.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  LINK_DAYS,
  type LinkRecipient,
  readPrivateAddress,
  sendPasswordLink,
} from "./password-link.ts";

/**
 * Emails a new link with which the mailbox user sets the password (`sendPasswordLink`). Earlier links stop working.
 *
 * @returns the address that it is sent to
 * @throws Refusal `not_found`; `invalid_permission` if `callerPrivileges` don't include its unit; `invalid` for an address;
 *   `not_allowed` if the mailbox user has set a password, or the mailbox is suspended; `rate_limit_exceeded`
 */
export function resendPasswordLink(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
  { to: written, sentBy }: LinkRecipient,
): Promise<string> {
  return inTransaction(ctx, async (ctx) => {
    // For the limit of `sendPasswordLink`, and before the mailbox, as in `createMailbox`.
    await lockCompany(ctx);
    const mailbox = await lockMailbox(ctx, address);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", mailbox.orgUnitId);
    await requireMayOpen(ctx, [mailbox.address]);
    const to = readPrivateAddress(written, mailbox.address, "to");
    if (mailbox.suspendedAt !== null)
      throw new Refusal("not_allowed", "The mailbox is suspended. Restore it first");
    if (!mailbox.forcePasswordChange)
      throw new Refusal(
        "not_allowed",
        "The mailbox user has already set a password. If they forgot it, reset it first",
      );
    await endMailboxSteps(ctx.db, mailbox.address);
    await sendPasswordLink(ctx, mailbox.address, { to, sentBy });
    return to;
  });
}

/** A link that works. */
export type PendingLink = {
  expiresAt: string;
  /** Null if the audit entry is gone. */
  sentTo: string | null;
};

/** Only the hash of a link is stored; the audit log has the address that it was sent to. */
export async function findPendingLink(
  { db, companyId }: Context,
  mailbox: string,
): Promise<PendingLink | null> {
  const sentAt = sql`${signInSteps.expiresAt} - make_interval(days => ${LINK_DAYS})`;
  const sentTo = db
    .select({ to: sql`${auditEntries.details} ->> 'to'` })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, companyId),
        sql`${auditEntries.createdAt} between ${sentAt} - interval '5 minutes' and ${sentAt} + interval '5 minutes'`,
        eq(auditEntries.action, "mailbox.link_sent"),
        sql`${auditEntries.details} ->> 'mailbox' = ${mailbox}`,
      ),
    )
    .orderBy(desc(auditEntries.createdAt))
    .limit(1);
  const [link] = await db
    .select({ expiresAt: signInSteps.expiresAt, sentTo: sql<string | null>`(${sentTo})` })
    .from(signInSteps)
    .where(
      and(
        eq(signInSteps.mailbox, mailbox),
        eq(signInSteps.kind, "mailbox_password"),
        gt(signInSteps.expiresAt, sql`statement_timestamp()`),
      ),
    )
    .orderBy(desc(signInSteps.expiresAt))
    .limit(1);
  return link ?? null;
}
