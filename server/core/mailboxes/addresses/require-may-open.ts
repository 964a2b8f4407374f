import { type SQL, sql } from "drizzle-orm";

import {
  type Address,
  groupsOfUnit,
  mailboxesInUnit,
  unitsOfGroup,
} from "#drizzle/schema/index.ts";
import {
  findUncovered,
  hasMoreThanOwners,
  readCallerPrivileges,
} from "#server/core/access/privileges/grants.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { catchAllOf, withoutTag } from "#server/core/shared/addresses/variants-sql.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { privilegeLabel } from "#server/universal/privileges.ts";

/**
 * Requires that the caller may read, or let others read, what the addresses receive. Mail to an admin's sign-in address can
 * reset their password or accept their invitation, so a reader can become that admin: only callers who hold all of
 * the admin's privileges may share, reset, redirect, create or join an address that receives it (`findUncovered`).
 *
 * Call it in every function that changes who reads an address, or that shows mail to admins. `require-may-open.test.ts` lists
 * them. Mailbox users act on their own mailbox only.
 *
 * @param addresses that exist or are to be created
 * @throws Refusal `invalid_permission`
 */
export async function requireMayOpen(ctx: Context, addresses: string[]): Promise<void> {
  if (["system", "operator", "mailbox"].includes(ctx.actor.kind) || addresses.length === 0) return;
  const uncovered = await findUncovered(ctx, await listSignInsReaching(ctx, addresses));
  if (uncovered === null) return;
  throw new Refusal(
    "invalid_permission",
    `${uncovered} is an admin's sign-in address, and you don't have all of that admin's privileges. Anyone who reads its mail can reset the admin's password. Ask an owner, or the operator of this server`,
  );
}

/**
 * Calls `requireMayOpen` for the groups that a mailbox joins by coming into a unit.
 *
 * @throws Refusal `invalid_permission`
 */
export async function requireMayEnter(ctx: Context, unitId: number): Promise<void> {
  const joined = await ctx.db.execute<{ address: string }>(
    sql`select distinct group_address as address from ${groupsOfUnit(sql`${unitId}::int`)} joined`,
  );
  await requireMayOpen(
    ctx,
    joined.map(({ address }) => address),
  );
}

/**
 * Calls `requireMayOpen` for addresses that are about to be deleted if their mail would go elsewhere: to the address
 * without the tag, or to the domain's catch-all.
 */
export async function requireMayDelete(ctx: Context, addresses: string[]): Promise<void> {
  const falling = await ctx.db.execute<{ address: string }>(sql`
    select own.address from ${named(addresses)} own where exists (
      select from addresses a where a.address <> own.address
        and a.address in (${withoutTag(sql`own.address`)}, ${catchAllOf(sql`own.address`)}))`);
  await requireMayOpen(
    ctx,
    falling.map(({ address }) => address),
  );
}

/**
 * Prevents access by reusing an address. Groups and forwarding rules can still name a deleted address, or one that never existed, so
 * an admin who creates it gets that mail and access. The caller needs `manage_groups` for the groups, or `reset_user_passwords` for the
 * mailboxes that forward: such admins could add the address to the group, or open the mailbox, anyway.
 *
 * @param address the new address
 * @throws Refusal `invalid_permission`
 */
export async function requireMayTakeOver(ctx: Context, address: string): Promise<void> {
  const { actor, companyId } = ctx;
  if (actor.kind !== "admin" && actor.kind !== "api_key") return;
  const held = await readCallerPrivileges(ctx);
  if (held && coversUse(held, null) && held.privileges.has("reset_user_passwords")) return;
  const names = (written: SQL) =>
    sql`exists (select from ${written} named(written) where named.written not like '@%' and ${reaches(sql`lower(named.written)`)})`;
  const found = await ctx.db.execute<{ source: string; orgUnitId: number | null }>(sql`
    select g.address as source, null::int as "orgUnitId" from groups g, ${named([address])} u
    where g.company_id = ${companyId} and ${names(sql`unnest(g.posters || g.moderators || array(
      select m.member from group_members m where m.group_address = g.address))`)}
    union all
    select b.address, b.org_unit_id from mailboxes b join mailbox_rules r on r.mailbox = b.address, ${named([address])} u
    where b.company_id = ${companyId} and ${names(sql`unnest(r.forward_to)`)}
    order by source`);
  const refusing = found.find(({ orgUnitId }) => !held || !coversUse(held, orgUnitId));
  if (!refusing) return;
  const { source, orgUnitId } = refusing;
  throw new Refusal(
    "invalid_permission",
    orgUnitId === null
      ? `The group ${source} lists ${address} as a member, poster or moderator, so creating it requires ${privilegeLabel("manage_groups")}. Ask an admin with that privilege to create it, or to remove it from the group`
      : `${source} forwards mail to ${address}, so creating it requires ${privilegeLabel("reset_user_passwords")} for that mailbox. Ask an admin with that privilege to create it`,
  );
}

/** @param orgUnitId of the mailbox that forwards; null for a group */
const coversUse = (held: HeldPrivileges, orgUnitId: number | null) =>
  orgUnitId === null
    ? held.privileges.has("manage_groups")
    : hasPrivilegeIn(held, "reset_user_passwords", orgUnitId);

/** Whether the address receives the mail of an operator or of an admin of another company: out of reach of the company's owners. */
export const isBeyondOwners = async (ctx: CompanyScope, address: string): Promise<boolean> =>
  hasMoreThanOwners(ctx, await listSignInsReaching(ctx, [address]));

/**
 * The sign-in addresses of admins, operators and invited admins whose mail one of the addresses receives: it is the address,
 * with or without a tag, an alias, the catch-all, a member of the group with the address, itself or through its unit, or what a mailbox that
 * receives it is shared with or forwards to, in any number of steps within the company. Groups and forwarding of other
 * companies don't count: they send their mail to outside addresses, and must not lock anyone out of a mailbox with that.
 */
async function listSignInsReaching(
  { db, companyId }: CompanyScope,
  addresses: string[],
): Promise<string[]> {
  const rows = await db.execute<{ email: string }>(sql`
    with recursive upstream(address) as (
      select lower(address) from ${named(addresses)}
      union
      select source.address from upstream u cross join lateral (
        select l.address from aliases l where l.mailbox = u.address
        union all
        select s.mailbox from mailbox_shares s where s.member = u.address
        union all
        select g.address from groups g join group_members m on m.group_address = g.address
        where g.company_id = ${companyId} and ${reaches(sql`m.member`)}
        union all
        select g.address from mailboxes b join groups g on g.address in ${groupsOfUnit(sql`b.org_unit_id`)}
        where b.address = u.address and g.company_id = ${companyId}
        union all
        select r.mailbox from mailboxes b join mailbox_rules r on r.mailbox = b.address
        where b.company_id = ${companyId} and exists (
          select from unnest(r.forward_to) as target(written) where ${reaches(sql`lower(written)`)})
      ) source
    )
    select distinct known.email
    from (select email from people union all select email from invitations) known
      join upstream u on ${reaches(sql`known.email`)}`);
  return rows.map(({ email }) => email);
}

/**
 * Whether mail to `written` arrives at `u.address`, as `resolveRecipients` decides, except that tagged addresses also
 * count as the address without the tag if they exist themselves. The cheap conditions come first.
 */
const reaches = (written: SQL): SQL => sql`(
  u.address = ${written}
  or ${written} like '%+%' and u.address = ${withoutTag(written)}
  or u.address like '*@%' and u.address = ${catchAllOf(written)} and not exists (
    select from addresses a where a.address in (${written}, ${withoutTag(written)})))`;

const named = (addresses: string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(addresses)}::jsonb) as address)`;

/**
 * The addresses that mail to an address passes through and arrives at, and those that can open the mailboxes where it does,
 * lowercase. The opposite of what `requireMayOpen` follows. Starts with the address itself, even if it is elsewhere.
 */
export async function listReaders(
  db: Db,
  email: string,
): Promise<{ address: string; kind: Address["kind"] | null }[]> {
  const variants = sql`(u.address, ${withoutTag(sql`u.address`)})`;
  return db.execute(sql`
    with recursive downstream(address) as (
      select lower(${email}::text)
      union
      select target.address from downstream u cross join lateral (
        select a.address from addresses a where a.address in ${variants}
          or a.address = ${catchAllOf(sql`u.address`)}
            and not exists (select from addresses b where b.address in ${variants})
        union all
        select l.mailbox from aliases l where l.address = u.address
        union all
        select m.member from group_members m where m.group_address = u.address
        union all
        select inside.address from ${mailboxesInUnit(unitsOfGroup(sql`u.address`))} inside
        union all
        select s.member from mailbox_shares s where s.mailbox = u.address
        union all
        select lower(unnest(r.forward_to)) from mailbox_rules r where r.mailbox = u.address
      ) target
    )
    select d.address, a.kind from downstream d left join addresses a on a.address = d.address
    order by d.address <> lower(${email}::text), d.address`);
}
