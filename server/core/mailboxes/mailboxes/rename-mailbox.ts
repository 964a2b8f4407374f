import { and, eq, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  type Mailbox,
  mailboxes,
  mailboxMoves,
  mailboxShares,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { scheduleMailAppEnd } from "#server/core/access/sessions/account-sessions.ts";
import {
  lockVerifiedDomain,
  readNewAddress,
  reserveAddress,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { endMailAppSessions } from "./mailbox-sessions.ts";
import { deletePredecessorRecords } from "./mailboxes.ts";
import { checkMailServer, lockMailbox, requirePrivilegeIn } from "./require-mailbox.ts";

/**
 * Gives a mailbox another address, which may be one of its aliases. The old address becomes an alias: mail to it still
 * arrives, also mail that is being delivered, and mail apps can go on signing in with it. The mail stays where it is; rules,
 * shares, memberships, app passwords and sessions at `/account` stay too. Mail apps are disconnected once, because Dovecot
 * knows their sessions by the old address.
 *
 * Requires the privilege to reset the password, too: the old address could be given to another mailbox, and until an account at the
 * identity provider is linked, anyone with the new address there could sign in.
 *
 * @returns the new address
 * @throws Refusal `not_found`, also for the second of two renames at the same time; `invalid`; `invalid_permission`;
 *   `already_exists`; `resource_in_use` while the mailbox moves to another mail host; `mail_server_error`
 */
export async function renameMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
  written: string,
): Promise<string> {
  const to = readNewAddress(written, "address");
  const requireAnswer = await checkMailServer(ctx);
  const from = await inRevokingTransaction(ctx, async (ctx) => {
    const domainId = await lockVerifiedDomain(ctx, addressDomain(to), "address");
    const mailbox = await lockMailbox(ctx, named);
    const { address: from } = mailbox;
    for (const name of ["update_users", "reset_user_passwords"] as const)
      requirePrivilegeIn(callerPrivileges, name, mailbox.orgUnitId);
    if (from === to) return from;
    await requireMayOpen(ctx, [from]);
    await requireNotMoving(ctx, from);
    await swapAddresses(ctx, mailbox, { to, domainId });
    await renameReferences(ctx, from, to);
    await renameInDeleted(ctx, from, to);
    await refreshRules(ctx, to);
    await scheduleMailAppEnd(ctx, from);
    await recordAudit(ctx, "mailbox.renamed", { mailbox: to, from, to });
    requireAnswer();
    return from;
  });
  if (from !== to) await endMailAppSessions(ctx, from);
  return to;
}

/** A move reads and writes the mailbox by its address. */
async function requireNotMoving({ db }: Context, address: string): Promise<void> {
  if ((await db.$count(mailboxMoves, eq(mailboxMoves.mailbox, address))) > 0)
    throw new Refusal(
      "resource_in_use",
      "This mailbox is being moved to another mail host. Try again when that is done",
    );
}

/** Foreign keys to the mailbox follow (`on update cascade`). */
async function swapAddresses(
  ctx: Context,
  { address: from }: Mailbox,
  { to, domainId }: { to: string; domainId: string },
): Promise<void> {
  const kindOf = (address: string, kind: "mailbox" | "alias") =>
    ctx.db.update(addresses).set({ kind }).where(eq(addresses.address, address));
  const isOwnAlias = and(eq(aliases.address, to), eq(aliases.mailbox, from));
  const [alias] = await ctx.db.delete(aliases).where(isOwnAlias).returning();
  if (alias) {
    await requireMayOpen(ctx, [to]);
    await kindOf(to, "mailbox");
  } else await reserveAddress(ctx, { address: to, domainId, kind: "mailbox", field: "address" });
  await deletePredecessorRecords(ctx, to);
  await ctx.db.update(mailboxes).set({ address: to, domainId }).where(eq(mailboxes.address, from));
  await kindOf(from, "alias");
  await ctx.db.insert(aliases).values({ address: from, mailbox: to });
}

/**
 * Renames the mailbox in rows without a foreign key to it. Logs keep the old address, and so do the networks of an admin with
 * that sign-in address.
 */
async function renameReferences(ctx: Context, from: string, to: string): Promise<void> {
  const { db, companyId } = ctx;
  await forgetQuarantine(ctx, to);
  await db.update(mailboxShares).set({ member: to }).where(eq(mailboxShares.member, from));
  await db.execute(sql`
    with usage as (update mailbox_usage set address = ${to} where address = ${from}),
      sign_ins as (update mailbox_sign_ins set address = ${to} where address = ${from}),
      -- Limits, and what is on hold.
      sent as (update messages set mailbox = ${to} where mailbox = ${from}),
      kept as (
        update quarantine set recipients = array_replace(recipients, ${from}::text, ${to}::text)
        where company_id = ${companyId} and recipients @> array[${from}::text]
      )
    insert into sign_in_networks (account, network, first_seen_at, last_seen_at, second_factor_at)
    select ${to}::text, network, first_seen_at, last_seen_at, second_factor_at
    from sign_in_networks where account = ${from} on conflict do nothing`);
  await db.execute(sql`delete from quarantine_digests where mailbox = ${to}`);
  await db.execute(sql`update quarantine_digests set mailbox = ${to} where mailbox = ${from}`);
  await renameInGroups(ctx, from, to);
}

/**
 * Removes quarantined mail of an earlier mailbox with the new address. Otherwise, the mailbox user could see what arrived after
 * the renamed mailbox was created.
 */
async function forgetQuarantine({ db, companyId }: Context, address: string): Promise<void> {
  const earlier = sql`company_id = ${companyId} and recipients @> array[${address}::text]
    and reason in ('spam', 'virus') and released_as is null
    and created_at >= (select created_at from mailboxes where address = ${address})`;
  await db.execute(
    sql`delete from quarantine where ${earlier} and recipients <@ array[${address}::text]`,
  );
  await db.execute(
    sql`update quarantine set recipients = array_remove(recipients, ${address}::text) where ${earlier}`,
  );
}

async function renameInGroups({ db, companyId }: Context, from: string, to: string): Promise<void> {
  const own = sql`(select address from groups where company_id = ${companyId})`;
  await db.execute(sql`
    with added as (
      insert into group_members (group_address, member, created_at)
      select group_address, ${to}::text, created_at from group_members
      where member = ${from} and group_address in ${own} on conflict do nothing
    )
    delete from group_members where member = ${from} and group_address in ${own}`);
  // The mailbox can still send as its old address.
  await db.execute(sql`
    update groups set moderators = array_replace(moderators, ${from}::text, ${to}::text),
      posters = case when ${from} = any(posters) and not ${to} = any(posters)
        then posters || ${to}::text else posters end
    where company_id = ${companyId} and (${from} = any(moderators) or ${from} = any(posters))`);
}

/** Renames the mailbox in deleted items, for when they are restored. Leaves those of an earlier mailbox with the address alone. */
async function renameInDeleted(
  { db, companyId }: Context,
  from: string,
  to: string,
): Promise<void> {
  const names = (table: string, column: string) =>
    sql`contents @> ${JSON.stringify({ [table]: [{ [column]: from }] })}::jsonb`;
  const renamed = (column: string) => sql`case when kept ->> ${column}::text = ${from}
    then jsonb_build_object(${column}::text, ${to}::text) else '{}' end`;
  await db.execute(sql`
    update deleted_items set
      title = case when kind = 'alias' and title = ${from} then ${to} else title end,
      contents = contents || (
        select jsonb_object_agg(of_table.name, (
          select coalesce(jsonb_agg(kept || ${renamed("mailbox")} || ${renamed("member")}), '[]')
          from jsonb_array_elements(of_table.content) kept))
        from jsonb_each(contents) of_table(name, content)
        where of_table.name in ('aliases', 'mailbox_shares', 'group_members'))
    where company_id = ${companyId} and not (kind = 'mailbox' and name = ${from})
      and (${names("aliases", "mailbox")} or ${names("mailbox_shares", "mailbox")}
        or ${names("mailbox_shares", "member")} or ${names("group_members", "member")})`);
}
