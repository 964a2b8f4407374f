import { and, eq, inArray, sql, type SQL } from "drizzle-orm";

import {
  addresses,
  failingMembers,
  type Group,
  groupMembers,
  groups,
  groupUnits,
  mailboxesInUnit,
  mailboxShares,
  unitsOfGroup,
} from "#drizzle/schema/index.ts";
import {
  lockVerifiedDomain,
  readNewAddress,
  reserveAddress,
} from "#server/core/mailboxes/addresses/addresses.ts";
import {
  requireMayDelete,
  requireMayOpen,
} from "#server/core/mailboxes/addresses/require-may-open.ts";
import { readText } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { addressDomain, readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/deleted-items.ts";
import { readEach, readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { addUnits } from "./group-units.ts";

export type NewGroup = {
  address: string;
  /** "" for none. */
  name: string;
  /** Validated here. */
  members: unknown[];
  /** Ids of units whose mailboxes are members too. */
  units?: number[];
  /** Who can post; anyone by default. */
  posting?: Group["posting"];
};

/**
 * Creates a group; its other access settings are the defaults.
 *
 * @throws Refusal `invalid`, `already_exists`, `mail_server_error`
 */
export async function createGroup(ctx: Context, input: NewGroup): Promise<ShownGroup> {
  const { address, name } = readFields({
    address: () => readNewAddress(input.address, "address"),
    name: () => readGroupName(input.name),
    members: () => readBareAddresses(input.members, "members"),
  });
  const members = readMembers(input.members, address);
  const requireAnswer = await checkMailServer(ctx);
  return inTransaction(ctx, async (ctx) => {
    const domainId = await lockVerifiedDomain(ctx, addressDomain(address), "address");
    await reserveAddress(ctx, { address, domainId, kind: "group", field: "address" });
    const [group] = await ctx.db
      .insert(groups)
      .values({ address, companyId: ctx.companyId, name, posting: input.posting })
      .returning();
    await recordAudit(ctx, "group.created", { group: address, name });
    await addMembers(ctx, address, members);
    await addUnits(ctx, address, input.units ?? []);
    requireAnswer();
    return readShownGroup(ctx, group!.address);
  });
}

/** One audit entry per member. @throws Refusal `invalid_permission` as `requireMayOpen` */
export async function addMembers(ctx: Context, group: string, members: string[]): Promise<void> {
  if (members.length === 0) return;
  await requireMayOpen(ctx, [group]);
  await ctx.db
    .insert(groupMembers)
    .values(members.map((member) => ({ groupAddress: group, member })));
  const entries = members.map((member) => ({ group, member }));
  await recordAudits(ctx, "group.member_added", entries);
}

/** @throws Refusal `not_found` */
export async function getGroup(ctx: Context, address: string): Promise<ShownGroup> {
  const group = await requireGroup(ctx, address);
  return readShownGroup(ctx, group.address);
}

/** An active group. */
export type ActiveGroup = Group & { domainId: string };

/** Finds the active group with this address, in any company; null if there is none. */
export async function findGroup(db: Db, address: string): Promise<ActiveGroup | null> {
  const [found] = await db
    .select({ group: groups, domainId: addresses.domainId })
    .from(groups)
    .innerJoin(addresses, eq(addresses.address, groups.address))
    .where(and(eq(groups.address, address.toLowerCase()), eq(groups.active, true)));
  return found ? { ...found.group, domainId: found.domainId } : null;
}

/** Omitted fields keep their values. */
export type GroupChange = {
  /** "" removes it. */
  name?: string | undefined;
  /** The complete new list. */
  members?: unknown[] | undefined;
};

/**
 * Changes a group's name, its members, or both. Audits each added or removed member.
 *
 * @throws Refusal `not_found`; `invalid`, also if nothing is to change; `mail_server_error`
 */
export async function updateGroup(
  ctx: Context,
  address: string,
  change: GroupChange,
): Promise<ShownGroup> {
  const group = await requireGroup(ctx, address);
  if (change.name === undefined && change.members === undefined)
    throw new Refusal("invalid", "Set at least one of name and members");
  const name = change.name === undefined ? undefined : readGroupName(change.name);
  const members =
    change.members === undefined ? undefined : readMembers(change.members, group.address);
  const requireAnswer = await checkMailServer(ctx);
  const transaction = members === undefined ? inTransaction : inRevokingTransaction;
  return transaction(ctx, async (ctx) => {
    const before = await lockGroup(ctx, group.address);
    if (name !== undefined && name !== before.name) {
      await ctx.db.update(groups).set({ name }).where(eq(groups.address, before.address));
      await recordAudit(ctx, "group.renamed", {
        group: before.address,
        from: before.name,
        to: name,
      });
    }
    if (members !== undefined) await replaceMembers(ctx, before.address, members);
    requireAnswer();
    return readShownGroup(ctx, before.address);
  });
}

async function replaceMembers(ctx: Context, group: string, members: string[]): Promise<void> {
  const ofGroup = eq(groupMembers.groupAddress, group);
  const rows = await ctx.db
    .select({ member: groupMembers.member })
    .from(groupMembers)
    .where(ofGroup);
  const before = new Set(rows.map(({ member }) => member));
  const after = new Set(members);
  const removed = [...before.difference(after)].sort();
  await removeMembers(ctx, group, removed);
  await addMembers(ctx, group, [...after.difference(before)]);
}

/**
 * Deletes a group with its settings and members, and keeps it to be restored. Mail already distributed is still delivered; posts awaiting
 * moderation can then only be discarded.
 *
 * @returns its address, and the id to restore it by
 * @throws Refusal `not_found`, `mail_server_error`; `invalid_permission` as `requireMayDelete`
 */
export async function deleteGroup(
  ctx: Context,
  named: string,
): Promise<{ address: string; deletedId: string }> {
  const requireAnswer = await checkMailServer(ctx);
  return inRevokingTransaction(ctx, async (ctx) => {
    const { address, name: title } = await lockGroup(ctx, named);
    await requireMayDelete(ctx, [address]);
    const deletedId = await keepGroup(ctx, address, title);
    await ctx.db.delete(addresses).where(eq(addresses.address, address));
    await recordAudit(ctx, "group.deleted", { group: address });
    requireAnswer();
    return { address, deletedId };
  });
}

async function keepGroup(ctx: Context, address: string, title: string): Promise<string> {
  const is = eq(addresses.address, address);
  const [row] = await ctx.db.select().from(addresses).where(is);
  const item = { kind: "group" as const, name: address, title, domainId: row!.domainId };
  return recordDeleted(ctx, { ...item, addresses: [address] }, [
    [addresses, is],
    [groups, eq(groups.address, address)],
    [groupMembers, eq(groupMembers.groupAddress, address)],
    [groupUnits, eq(groupUnits.groupAddress, address)],
    [mailboxShares, eq(mailboxShares.member, address)],
    [failingMembers, eq(failingMembers.groupAddress, address)],
  ]);
}

/** Call in `inRevokingTransaction`. One audit entry per member. */
export async function removeMembers(ctx: Context, group: string, members: string[]): Promise<void> {
  if (members.length === 0) return;
  await ctx.db
    .delete(groupMembers)
    .where(and(eq(groupMembers.groupAddress, group), inArray(groupMembers.member, members)));
  const entries = members.map((member) => ({ group, member }));
  await recordAudits(ctx, "group.member_removed", entries);
}

/** A unit that is a member of a group, and how many mailboxes are in it and below. */
export type UnitOfGroup = { id: number; name: string; isRoot: boolean; mailboxes: number };

/** A group with its members, sorted, and the units whose mailboxes are members too. */
export type ShownGroup = Group & { members: string[]; units: UnitOfGroup[]; memberCount: number };

/** Counts a group's members and the mailboxes of its units. Those that are members in several ways count once. */
export const memberCount = sql<number>`(
  (select count(*) from group_members m where m.group_address = ${groups.address}) +
  (select count(*) from ${mailboxesInUnit(unitsOfGroup(sql`${groups.address}`))} inside(mailbox) where not exists (
    select from group_members m where m.group_address = ${groups.address} and m.member = inside.mailbox))
)::int`;

/** Columns to select for `shownGroup`. */
export const shownColumns = {
  group: groups,
  memberCount,
  members: sql<string[]>`array(
    select m.member from group_members m where m.group_address = ${groups.address}
    order by m.member)`,
  units: sql<UnitOfGroup[]>`(
    select coalesce(jsonb_agg(to_jsonb(listed)), '[]') from (
      select u.id, u.name, u.parent_id is null as "isRoot",
        (select count(*)::int from ${mailboxesInUnit(sql`u.id`)} inside) as mailboxes
      from group_units gu join org_units u on u.id = gu.org_unit_id
      where gu.group_address = ${groups.address}) listed)`,
};

type ShownRow = { group: Group } & Pick<ShownGroup, "members" | "units" | "memberCount">;

/** Sorts members by code unit, as `readAddresses` does, whatever the database's collation. */
export const shownGroup = (row: ShownRow): ShownGroup => ({
  ...row.group,
  memberCount: row.memberCount,
  units: row.units.toSorted((a, b) => a.name.localeCompare(b.name)),
  members: row.members.toSorted(),
});

/** The group must exist. */
export async function readShownGroup(ctx: Context, address: string): Promise<ShownGroup> {
  const [row] = await ctx.db.select(shownColumns).from(groups).where(eq(groups.address, address));
  return shownGroup(row!);
}

const NAME_MAX = 160;
export const MEMBERS_MAX = 200;

/**
 * Trims and validates a group's name; "" for none.
 *
 * @throws Refusal `invalid`
 */
const readGroupName = (text: string): string => readText(text, "name", NAME_MAX);

/**
 * Parses a group's members: lowercase, sorted, without duplicates.
 *
 * @param group the group's own address
 * @throws Refusal `invalid`
 */
function readMembers(list: unknown[], group: string): string[] {
  const members = readBareAddresses(list, "members");
  if (members.length > MEMBERS_MAX)
    throw new Refusal("invalid", `members: must have at most ${MEMBERS_MAX} entries`);
  if (members.includes(group))
    throw new Refusal("invalid", "members: must not include the group itself");
  return members;
}

/**
 * Parses addresses without display names: lowercase, sorted, without duplicates.
 *
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export function readBareAddresses(list: unknown[], field: string): string[] {
  const addresses = readEach(list, (entry, i) => {
    const address = typeof entry === "string" ? readBareAddress(entry.trim()) : null;
    if (address === null)
      throw new Refusal("invalid", `${field}[${i}]: must be a valid email address`);
    return address;
  });
  return [...new Set(addresses)].sort();
}

const groupNotFound = () => new Refusal("not_found", "Group not found");

/**
 * Finds the company's group with this address, ignoring case.
 *
 * @throws Refusal `not_found`
 */
export async function requireGroup(ctx: Context, address: string): Promise<Group> {
  const [group] = await ctx.db
    .select()
    .from(groups)
    .where(matchesAddress(ctx, groups, address));
  if (!group) throw groupNotFound();
  return group;
}

/** Like `requireGroup`, and locks the group until the transaction ends. */
export async function lockGroup(ctx: Context, address: string): Promise<Group> {
  // Lock the address first, in the same order as deletion does.
  await ctx.db
    .select()
    .from(addresses)
    .where(matchesAddress(ctx, addresses, address))
    .for("update");
  const [group] = await ctx.db
    .select()
    .from(groups)
    .where(matchesAddress(ctx, groups, address))
    .for("update");
  if (!group) throw groupNotFound();
  return group;
}

/** Matches nothing if the text isn't an address. */
function matchesAddress(
  ctx: Context,
  table: typeof groups | typeof addresses,
  text: string,
): SQL | undefined {
  const address = readBareAddress(text);
  if (address === null) return sql`false`;
  return and(eq(table.address, address), eq(table.companyId, ctx.companyId));
}
