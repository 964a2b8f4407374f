import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import { addresses, mailboxes } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageByKey } from "#server/core/shared/paging/by-key.ts";
import { countRows, type ListCounts } from "#server/core/shared/paging/count-rows.ts";
import {
  type Direction,
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/page.ts";
import { readInParts } from "#server/core/shared/paging/read-in-parts.ts";

import {
  inDomain,
  inState,
  isBelow,
  type MailboxState,
  matchesSearch,
} from "./internal/mailbox-conditions.ts";
import { requireMailServer } from "./require-mail-server.ts";
import {
  lastSignInSeconds,
  selectShownMailboxes,
  type ShownMailbox,
  usedBytes,
} from "./shown-mailbox.ts";
import { viewableMailboxes } from "./viewable-mailboxes.ts";

export { MAILBOX_STATES } from "./internal/mailbox-conditions.ts";

/** Fields left out don't filter. */
export type MailboxFilter = {
  /** Name of a domain. */
  domain?: string | undefined;
  /** Part of the address or name, case-insensitive. */
  search?: string | undefined;
  status?: MailboxState | undefined;
  /** ID of a unit, whose mailboxes and descendants' are listed. A unit of another company has none. */
  unit?: number | undefined;
};

export const MAILBOX_SORT_KEYS = ["address", "name", "storage", "sign_in"] as const;
export type MailboxSort = { by: (typeof MAILBOX_SORT_KEYS)[number]; direction: Direction };

const BY_ADDRESS: MailboxSort = { by: "address", direction: "ascending" };

// Storage and sign-ins are Dovecot's tables, which have no company. An index for these orders would be written at
// every delivery and sign-in. Sorting 10,000 mailboxes takes about 0.1 s on 2 busy cores.
const KEYS: Record<MailboxSort["by"], SQL | PgColumn> = {
  address: addresses.address,
  name: sql`lower(${mailboxes.name})`,
  storage: usedBytes,
  sign_in: lastSignInSeconds,
};

/**
 * A page of the company's mailboxes that `callerPrivileges` allow viewing. A cursor without a mailbox yields an empty
 * page.
 *
 * @throws Refusal `invalid` for a domain that isn't the company's or whose ownership isn't verified,
 *   or for a cursor that no mailbox can have; `application_error` while Dovecot is down, because it provides the counts
 */
export async function searchMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  page: PageRequest,
  filter: MailboxFilter = {},
  sort: MailboxSort = BY_ADDRESS,
): Promise<Page<ShownMailbox>> {
  if ((page.after ?? page.before)?.includes("\0")) throw invalidCursor();
  const all = await inList(ctx, callerPrivileges, filter);
  const list = pageOf({ ctx, callerPrivileges, inList: all }, page, sort);
  const reading = selectShownMailboxes(ctx)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  const [rows] = await Promise.all([reading, requireMailServer(ctx)]);
  return toPage(rows, page);
}

/** Counts the mailboxes of a search, and those before `first`, the first one of a page. */
export async function countMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  filter: MailboxFilter,
  sort: MailboxSort,
  first: string | undefined,
): Promise<ListCounts> {
  const all = await inList(ctx, callerPrivileges, filter);
  const start = { limit: 1, after: null, before: null };
  const list = pageOf({ ctx, callerPrivileges, inList: all }, start, sort);
  const [{ count: total, isCut }, before] = await Promise.all([
    countRows(ctx.db, selectAddresses(ctx, all)),
    first === undefined
      ? { count: 0 }
      : countRows(ctx.db, selectAddresses(ctx, list.before(first))),
  ]);
  return { before: before.count, total, isCut };
}

/**
 * Reads all mailboxes of a search in parts (`readInParts`), in the order of the beginning.
 *
 * @throws Refusal as `searchMailboxes`
 */
export async function* readAllMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { filter, sort }: { filter: MailboxFilter; sort: MailboxSort },
  rowsPerRead?: number,
): AsyncGenerator<ShownMailbox[]> {
  const all = await inList(ctx, callerPrivileges, filter);
  const start = { limit: 1, after: null, before: null };
  const { orderBy } = pageOf({ ctx, callerPrivileges, inList: all }, start, sort);
  const reading = selectAddresses(ctx, all).orderBy(...orderBy);
  const [listed] = await Promise.all([reading, requireMailServer(ctx)]);
  yield* readInParts(
    listed.map(({ address }) => address),
    (part) => selectShownMailboxes(ctx).where(and(all, inArray(addresses.address, part))),
    ({ address }) => address,
    rowsPerRead,
  );
}

const selectAddresses = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .innerJoin(mailboxes, eq(mailboxes.address, addresses.address))
    .where(where);

async function inList(ctx: Context, callerPrivileges: HeldPrivileges, filter: MailboxFilter) {
  return and(
    await inDomain(ctx, filter.domain),
    viewableMailboxes(callerPrivileges),
    matchesSearch(filter.search),
    inState(filter.status),
    isBelow(ctx, filter.unit),
  );
}

type Listing = { ctx: Context; callerPrivileges: HeldPrivileges; inList: SQL | undefined };

function pageOf(
  { ctx, callerPrivileges, inList }: Listing,
  page: PageRequest,
  { by, direction }: MailboxSort,
) {
  const key = KEYS[by];
  const keyOf = (address: string) =>
    sql`(select ${key} from ${mailboxes} where ${and(
      eq(mailboxes.address, address),
      eq(mailboxes.companyId, ctx.companyId),
      viewableMailboxes(callerPrivileges),
    )})`;
  return pageByKey({ key, id: addresses.address, keyOf }, inList, page, direction);
}
