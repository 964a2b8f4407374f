import { and, eq, inArray, sql } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import { findUnknownAddresses } from "#server/core/mailboxes/addresses/addresses.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { addUnits, removeUnits } from "./group-units.ts";
import {
  addMembers,
  lockGroup,
  MEMBERS_MAX,
  readBareAddresses,
  readShownGroup,
  removeMembers,
  requireGroup,
  type ShownGroup,
} from "./groups.ts";

/** Addresses are validated here. */
export type MembersChange = {
  add?: unknown[] | undefined;
  remove?: unknown[] | undefined;
  /** Ids of units. */
  addUnits?: number[] | undefined;
  removeUnits?: number[] | undefined;
};

/**
 * Adds members to a group and removes others. Touches only the named members, so concurrent changes to others
 * survive.
 *
 * @throws Refusal `not_found`, `invalid`, `mail_server_error`
 */
export async function changeMembers(
  ctx: Context,
  address: string,
  change: MembersChange,
): Promise<ShownGroup> {
  const group = await requireGroup(ctx, address);
  const add = readBareAddresses(change.add ?? [], "add");
  const remove = readBareAddresses(change.remove ?? [], "remove");
  if (add.includes(group.address))
    throw new Refusal("invalid", "add: must not include the group itself");
  const requireAnswer = await checkMailServer(ctx);
  return inRevokingTransaction(ctx, async (ctx) => {
    const { address: group } = await lockGroup(ctx, address);
    const { members } = await readShownGroup(ctx, group);
    const added = add.filter((member) => !members.includes(member));
    const removed = remove.filter((member) => members.includes(member) && !add.includes(member));
    if (members.length + added.length - removed.length > MEMBERS_MAX)
      throw new Refusal("invalid", `add: a group can have at most ${MEMBERS_MAX} members`);
    await removeMembers(ctx, group, removed);
    await addMembers(ctx, group, added);
    await removeUnits(ctx, group, change.removeUnits ?? []);
    await addUnits(ctx, group, change.addUnits ?? []);
    requireAnswer();
    return readShownGroup(ctx, group);
  });
}

/**
 * Adds a member to several groups, all or none. Call in a transaction.
 *
 * @param addresses parsed addresses of the groups
 * @param field the request field, for the error message
 * @throws Refusal `invalid` for a group that the company doesn't have or that is full
 */
export async function joinGroups(
  ctx: Context,
  member: string,
  { addresses, field }: { addresses: string[]; field: string },
): Promise<void> {
  if (addresses.length === 0) return;
  const found = await ctx.db
    .select({ address: groups.address })
    .from(groups)
    .where(and(eq(groups.companyId, ctx.companyId), inArray(groups.address, addresses)));
  const known = new Set(found.map(({ address }) => address));
  readEach(addresses, (address, at) => {
    if (!known.has(address))
      throw new Refusal("invalid", `${field}[${at}]: is not a group of your company`);
  });
  for (const address of [...known].sort()) {
    await lockGroup(ctx, address);
    const { members } = await readShownGroup(ctx, address);
    if (members.includes(member)) continue;
    if (members.length >= MEMBERS_MAX)
      throw new Refusal(
        "invalid",
        `${field}[${addresses.indexOf(address)}]: has ${MEMBERS_MAX} members already`,
      );
    await addMembers(ctx, address, [member]);
  }
}

/**
 * Requires that members at the company's own domains exist, because others are typing errors whose mail would bounce.
 *
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export async function requireKnownMembers(
  ctx: Context,
  members: string[],
  field: string,
): Promise<void> {
  const unknown = new Set(await findUnknownAddresses(ctx, members));
  readEach(members, (member, at) => {
    if (unknown.has(member))
      throw new Refusal("invalid", `${field}[${at}]: is not an address of your company`);
  });
}

/** A member's address, with the name of what it belongs to. */
export type DescribedMember = {
  address: string;
  /** Of the mailbox or group; "" if it has none or isn't the company's. */
  name: string;
  /** Not at a domain of the company. */
  isExternal: boolean;
};

/** Adds the names of the company's mailboxes and groups to the members' addresses, in the same order. */
export async function describeMembers(
  { db, companyId }: Context,
  members: string[],
): Promise<DescribedMember[]> {
  const rows = await db.execute<DescribedMember>(sql`
    select given.address, coalesce(m.name, g.name, '') as name,
      not exists (select from domains d where d.company_id = ${companyId}
        and d.name = split_part(given.address, '@', 2)) as "isExternal"
    from jsonb_array_elements_text(${JSON.stringify(members)}::jsonb)
        with ordinality as given(address, place)
      left join aliases l on l.address = given.address
      left join mailboxes m on m.address = coalesce(l.mailbox, given.address)
        and m.company_id = ${companyId}
      left join groups g on g.address = given.address and g.company_id = ${companyId}
    order by given.place`);
  return [...rows];
}
