import { and, asc, eq, ne, sql } from "drizzle-orm";

import {
  addresses,
  mailboxes,
  mailboxPolicies,
  type MailboxShare,
  mailboxShares,
  mailboxViewers,
  type Mailbox,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { scheduleMailAppEnd } from "#server/core/access/sessions/account-sessions.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { dovecotOf } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { viewableMailboxes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { endMailAppSessions } from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import {
  lockMailbox,
  requireMailbox,
  requirePrivilegeIn,
} from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { DovecotError } from "#server/gateways/dovecot.ts";

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
  await allowSharing(ctx, shared);
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
async function allowSharing({ db }: Context, mailbox: Mailbox): Promise<void> {
  try {
    await (await dovecotOf(db, mailbox.address)).allowSharing(mailbox);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    throw new Refusal("mail_server_error", `The mail server rejected the change: ${error.code}`);
  }
}

/** The mailboxes that a mailbox user can open besides their own, except those whose policy doesn't allow calendars. */
export const listSharedCalendars = (db: Db, viewer: string) =>
  db
    .select({
      address: mailboxes.address,
      companyId: mailboxes.companyId,
      name: mailboxes.name,
      store: mailboxes.store,
      canWrite: mailboxViewers.canWrite,
    })
    .from(mailboxViewers)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxViewers.mailbox))
    .innerJoin(mailboxPolicies, eq(mailboxPolicies.address, mailboxes.address))
    .where(and(eq(mailboxViewers.viewer, viewer), eq(mailboxPolicies.calendarAllowed, true)));

/** The mailboxes whose users can open a mailbox that isn't theirs. */
export async function listViewers(db: Db, mailbox: string): Promise<string[]> {
  const rows = await db
    .select({ viewer: mailboxViewers.viewer })
    .from(mailboxViewers)
    .where(eq(mailboxViewers.mailbox, mailbox))
    .orderBy(asc(mailboxViewers.viewer));
  return rows.map(({ viewer }) => viewer);
}

/**
 * Runs a transaction that can end access to shared mailboxes, then ends the mail app sessions of all who can do less than before: what
 * they can open is determined when they sign in. A job ends them again, in case a sign-in was in progress or Dovecot doesn't respond.
 */
export async function inRevokingTransaction<T>(
  ctx: Context,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const { result, viewers } = await inTransaction(ctx, async (ctx) => {
    await lock(ctx.db, "sharedMailboxes", ctx.companyId);
    const before = await listViews(ctx);
    const result = await work(ctx);
    const after = new Set(before.length > 0 ? (await listViews(ctx)).map(viewKey) : []);
    const lost = before.filter((view) => !after.has(viewKey(view))).map(({ viewer }) => viewer);
    const viewers = [...new Set(lost)].toSorted();
    await scheduleMailAppEnd(ctx, ...viewers);
    return { result, viewers };
  });
  for (const viewer of viewers) await endMailAppSessions(ctx, viewer);
  return result;
}

type View = { viewer: string; mailbox: string; canWrite: boolean };

const viewKey = ({ viewer, mailbox, canWrite }: View) => `${viewer} ${mailbox} ${canWrite}`;

// Without `offset`, Postgres would evaluate the view for all companies.
const listViews = ({ db, companyId }: Context) =>
  db.execute<View>(sql`
    select v.viewer, v.mailbox, v.can_write as "canWrite"
    from mailboxes b cross join lateral (select * from mailbox_viewers where viewer = b.address offset 0) v
    where b.company_id = ${companyId}
      and exists (select from mailbox_shares s join mailboxes m on m.address = s.mailbox where m.company_id = ${companyId})`);
