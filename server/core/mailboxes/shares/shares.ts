import { and, asc, eq, ne } from "drizzle-orm";

import { addresses, type MailboxShare, mailboxShares } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { dovecotOf } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { lockMailbox, requireMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { requirePrivilegeIn } from "#server/core/mailboxes/mailboxes/require-privilege-in.ts";
import { viewableMailboxes } from "#server/core/mailboxes/mailboxes/viewable-mailboxes.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { DovecotError } from "#server/gateways/dovecot.ts";

import { inRevokingTransaction } from "./in-revoking-transaction.ts";

const SHARES_MAX = 100;

/**
 * Lists with whom a mailbox is shared, by address.
 *
 * @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it
 */
export async function listShares(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
): Promise<(MailboxShare & { kind: "mailbox" | "group" })[]> {
  const { address } = await requireMailbox(ctx, named, viewableMailboxes(callerPrivileges));
  const rows = await ctx.db
    .select({ share: mailboxShares, kind: addresses.kind })
    .from(mailboxShares)
    .innerJoin(addresses, eq(addresses.address, mailboxShares.member))
    .where(eq(mailboxShares.mailbox, address))
    .orderBy(asc(mailboxShares.member));
  return rows.map(({ share, kind }) => ({ ...share, kind: kind === "group" ? kind : "mailbox" }));
}

/**
 * Shares a mailbox with another mailbox or a group of the company, or changes what they can do with it. Mailbox users who can do less
 * than before are disconnected at once.
 *
 * @throws Refusal `not_found`, `invalid`, `invalid_permission`, `not_allowed`, `mail_server_error`
 */
export async function setShare(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
  asked: Pick<MailboxShare, "member" | "access" | "sendAs">,
): Promise<MailboxShare> {
  const shared = await requireMailbox(ctx, named);
  requirePrivilegeIn(callerPrivileges, "reset_user_passwords", shared.orgUnitId);
  await requireMayOpen(ctx, [shared.address]);
  const member = await requireMember(ctx, shared.address, asked.member);
  await allowSharing(ctx, shared.address);
  const { access, sendAs } = asked;
  return inRevokingTransaction(ctx, async (ctx) => {
    const { address: mailbox, orgUnitId } = await lockMailbox(ctx, shared.address);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
    await requireMayOpen(ctx, [mailbox]);
    await requireMember(ctx, mailbox, member);
    const others = await ctx.db.$count(
      mailboxShares,
      and(eq(mailboxShares.mailbox, mailbox), ne(mailboxShares.member, member)),
    );
    if (others >= SHARES_MAX)
      throw new Refusal(
        "not_allowed",
        `A mailbox can be shared with at most ${SHARES_MAX} mailboxes and groups. Share it with a group instead`,
      );
    const [saved] = await ctx.db
      .insert(mailboxShares)
      .values({ mailbox, member, access, sendAs })
      .onConflictDoUpdate({
        target: [mailboxShares.mailbox, mailboxShares.member],
        set: { access, sendAs },
      })
      .returning();
    await recordAudit(ctx, "mailbox.shared", { mailbox, with: member, access, send_as: sendAs });
    return saved!;
  });
}

/**
 * Ends the sharing of a mailbox with one mailbox or group. Mailbox users who lose access are disconnected at once.
 *
 * @throws Refusal `not_found` for the mailbox or the share, `invalid_permission`
 */
export async function removeShare(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
  written: string,
): Promise<void> {
  await inRevokingTransaction(ctx, async (ctx) => {
    const { address: mailbox, orgUnitId } = await lockMailbox(ctx, named);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
    const member = readBareAddress(written) ?? "";
    if ((await ctx.db.$count(mailboxShares, isShare(mailbox, member))) === 0)
      throw new Refusal("not_found", "The mailbox isn't shared with this address");
    await ctx.db.delete(mailboxShares).where(isShare(mailbox, member));
    await recordAudit(ctx, "mailbox.unshared", { mailbox, with: member });
  });
}

const isShare = (mailbox: string, member: string) =>
  and(eq(mailboxShares.mailbox, mailbox), eq(mailboxShares.member, member));

async function requireMember(ctx: Context, mailbox: string, written: string): Promise<string> {
  const member = readBareAddress(written) ?? "";
  const [found] = await ctx.db
    .select({ kind: addresses.kind })
    .from(addresses)
    .where(and(eq(addresses.address, member), eq(addresses.companyId, ctx.companyId)));
  if (found?.kind !== "mailbox" && found?.kind !== "group")
    throw new Refusal("invalid", "member: must be a mailbox or group of the company");
  if (member === mailbox)
    throw new Refusal("invalid", "member: a mailbox can't be shared with itself");
  return member;
}

/** Before the transaction, because it can take seconds. It grants nothing without a share. */
async function allowSharing({ db }: Context, mailbox: string): Promise<void> {
  try {
    await (await dovecotOf(db, mailbox)).allowSharing(mailbox);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    throw new Refusal("mail_server_error", `The mail server rejected the change: ${error.code}`);
  }
}
