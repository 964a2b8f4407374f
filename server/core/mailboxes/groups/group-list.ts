import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import { addresses, groups, groupsOfUnit } from "#drizzle/schema/index.ts";
import { requireOwnedDomain } from "#server/core/mailboxes/addresses/addresses.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  containsPattern,
  countAround,
  type CountedPage,
  invalidCursor,
  pageByKey,
  type PageRequest,
  readAddressCursor,
  readInParts,
  type Sort,
  toPage,
} from "#server/core/shared/paging/pages.ts";

import { memberCount, shownColumns, shownGroup, type ShownGroup } from "./groups.ts";

/** Fields left out don't filter. */
export type GroupFilter = {
  /** Name of a domain. */
  domain?: string | undefined;
  /** Part of the address, the name, a member's address or a unit's name, case-insensitive. */
  search?: string | undefined;
};

export type GroupSort = Sort<"address" | "name" | "members">;

const BY_ADDRESS: GroupSort = { by: "address", direction: "ascending" };

const KEYS: Record<GroupSort["by"], SQL | PgColumn> = {
  address: addresses.address,
  name: sql`lower(${groups.name})`,
  members: memberCount,
};

/**
 * A page of the company's groups.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list, or a domain that isn't the company's or
 *   whose ownership isn't verified
 */
export async function listGroups(
  ctx: Context,
  page: PageRequest,
  filter: GroupFilter = {},
  sort = BY_ADDRESS,
): Promise<CountedPage<ShownGroup>> {
  const inList = await conditions(ctx, filter);
  const [after, before] = [readAddressCursor(page.after), readAddressCursor(page.before)];
  const list = pageOf(ctx, inList, { ...page, after, before }, sort);
  const cursor = after ?? before;
  if (cursor !== null) await requireInList(ctx, cursor, inList);
  const rows = await selectShown(ctx, list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  const shown = toPage(rows.map(shownGroup), page);
  const first = shown.rows[0]?.address;
  const count = () => countAround(ctx.db, (where) => selectAddresses(ctx, where), list, first);
  return { ...shown, count };
}

/**
 * Reads all groups of a search in parts (`readInParts`), in the order of the beginning.
 *
 * @throws Refusal as `listGroups`
 */
export async function* readAllGroups(
  ctx: Context,
  filter: GroupFilter,
  sort: GroupSort,
  rowsPerRead?: number,
): AsyncGenerator<ShownGroup[]> {
  const inList = await conditions(ctx, filter);
  const list = pageOf(ctx, inList, { limit: 1, after: null, before: null }, sort);
  const listed = await selectAddresses(ctx, inList).orderBy(...list.orderBy);
  yield* readInParts(
    listed.map(({ address }) => address),
    async (part) =>
      (await selectShown(ctx, and(inList, inArray(addresses.address, part)))).map(shownGroup),
    ({ address }) => address,
    rowsPerRead,
  );
}

const selectAddresses = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .innerJoin(groups, eq(groups.address, addresses.address))
    .where(where);

const selectShown = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select(shownColumns)
    .from(addresses)
    .innerJoin(groups, eq(groups.address, addresses.address))
    .where(where);

function pageOf(
  ctx: Context,
  inList: SQL | undefined,
  page: PageRequest,
  { by, direction }: GroupSort,
) {
  const keyOf = (address: string) =>
    sql`(select ${KEYS[by]} from groups where ${and(
      eq(groups.address, address),
      eq(groups.companyId, ctx.companyId),
    )})`;
  return pageByKey({ key: KEYS[by], id: addresses.address, keyOf }, inList, page, direction);
}

const conditions = async (ctx: Context, { domain, search }: GroupFilter) =>
  and(await inDomain(ctx, domain), matchesSearch(search));

async function inDomain(ctx: Context, domain: string | undefined): Promise<SQL | undefined> {
  const isGroup = eq(addresses.kind, "group");
  if (domain === undefined) return and(eq(addresses.companyId, ctx.companyId), isGroup);
  const domainId = await requireOwnedDomain(ctx, domain, "domain");
  return and(eq(addresses.domainId, domainId), isGroup);
}

function matchesSearch(search: string | undefined): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return sql`(${groups.address} like ${pattern} or lower(${groups.name}) like ${pattern} or exists (
    select from group_members m where m.group_address = ${groups.address} and m.member like ${pattern})
    or exists (select from group_units gu join org_units u on u.id = gu.org_unit_id
      where gu.group_address = ${groups.address} and lower(u.name) like ${pattern}))`;
}

async function requireInList(ctx: Context, cursor: string, inList: SQL | undefined): Promise<void> {
  const [found] = await selectAddresses(ctx, and(inList, eq(addresses.address, cursor)));
  if (!found) throw invalidCursor();
}

/** The company's groups that a mailbox is in, by address, itself or only through its unit. */
export async function listGroupsOfMailbox({ db, companyId }: Context, mailbox: string) {
  const unit = sql`(select org_unit_id from mailboxes where address = ${mailbox})`;
  const isMember = sql<boolean>`exists (
    select from group_members m where m.group_address = ${groups.address} and m.member = ${mailbox})`;
  return db
    .select({ address: groups.address, isMember })
    .from(groups)
    .where(
      sql`${eq(groups.companyId, companyId)} and (${isMember} or ${groups.address} in ${groupsOfUnit(unit)})`,
    )
    .orderBy(asc(groups.address));
}
