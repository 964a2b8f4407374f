import { and, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import {
  addresses,
  aliases,
  companies,
  type Mailbox,
  mailboxes,
  mailboxSignIns,
  mailboxUsage,
  orgUnits,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { mailboxHasFactor } from "#server/core/access/second-factors/factors.ts";
import {
  isPasswordChangeDue,
  isProviderRequired,
  signsInWithProvider,
} from "#server/core/access/single-sign-on/mailbox-links.ts";
import { requireOwnedDomain } from "#server/core/mailboxes/addresses/addresses.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import {
  containsPattern,
  containsWords,
  countAround,
  type CountedPage,
  type Direction,
  invalidCursor,
  type Page,
  pageByAddress,
  pageByKey,
  type PageRequest,
  readInParts,
  toPage,
} from "#server/core/shared/paging/pages.ts";

import { requireMailServer } from "./require-mailbox.ts";

/** Fields left out don't filter. */
export type MailboxFilter = {
  /** Name of a domain. */
  domain?: string | undefined;
  /** Words of the address, name or unit, or part of an alias or forwarding address; case-insensitive. */
  search?: string | undefined;
  status?: MailboxState | undefined;
  /** ID of a unit, whose mailboxes and descendants' are listed. A unit of another company has none. */
  unit?: number | undefined;
};

export const MAILBOX_SORT_KEYS = ["address", "name", "storage", "sign_in"] as const;

export type MailboxSort = { by: (typeof MAILBOX_SORT_KEYS)[number]; direction: Direction };

const BY_ADDRESS: MailboxSort = { by: "address", direction: "ascending" };

// Subselects instead of joins, which the planner could turn into scans of other companies' rows.
const usedBytes = sql`coalesce((${selectUsage(mailboxUsage.usedBytes)}), 0)`;

/** The latest of several kinds of sign-in, in Unix seconds; 0 for never. Dovecot writes whole seconds. */
const lastOf = (...times: PgColumn[]) => sql`coalesce((
    select greatest(${sql.join(times, sql`, `)}) from ${mailboxSignIns}
    where ${mailboxSignIns.address} = ${mailboxes.address}), 0)`;

const { lastSignIn, lastPop3, lastAccount } = mailboxSignIns;
const lastMailAppSeconds = lastOf(lastSignIn, lastPop3);
const lastSignInSeconds = lastOf(lastSignIn, lastPop3, lastAccount);

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
): Promise<CountedPage<ShownMailbox>> {
  if ((page.after ?? page.before)?.includes("\0")) throw invalidCursor();
  const all = await inList(ctx, callerPrivileges, filter);
  const list = pageOf({ ctx, callerPrivileges, inList: all }, page, sort);
  const reading = selectShownMailboxes(ctx)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  const [rows] = await Promise.all([reading, requireMailServer(ctx)]);
  const shown = toPage(rows, page);
  // Nothing comes before the first page. Counting by storage or sign-in would cost as much as reading it.
  const first = (page.after ?? page.before) ? shown.rows[0]?.address : undefined;
  const count = () => countAround(ctx.db, (where) => selectAddresses(ctx, where), list, first);
  return { ...shown, count };
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

/**
 * A page of the company's mailboxes that `callerPrivileges` allow viewing, by address.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list, or a domain that isn't the company's or
 *   whose ownership isn't verified; `application_error` while Dovecot is down, because it provides the counts
 */
export async function listMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  page: PageRequest,
  filter: { domain?: string | undefined } = {},
): Promise<Page<ShownMailbox>> {
  const inList = and(await inDomain(ctx, filter.domain), viewableMailboxes(callerPrivileges));
  const list = pageByAddress(addresses.address, inList, page);
  if (list.cursor !== null) await requireInList(ctx, list.cursor, inList);
  const reading = selectShownMailboxes(ctx)
    .where(list.where)
    .orderBy(list.orderBy)
    .limit(page.limit + 1);
  const [rows] = await Promise.all([reading, requireMailServer(ctx)]);
  return toPage(rows, page);
}

async function requireInList(ctx: Context, cursor: string, inList: SQL | undefined): Promise<void> {
  const [found] = await selectShownMailboxes(ctx).where(and(inList, eq(addresses.address, cursor)));
  if (!found) throw invalidCursor();
}

/** SQL condition for the mailboxes that the caller can view; undefined for all. */
export const viewableMailboxes = (callerPrivileges: HeldPrivileges): SQL | undefined =>
  inViewableUnits(callerPrivileges, mailboxes.orgUnitId);

/** SQL condition for the units whose mailboxes the caller can view; undefined for all. */
export function inViewableUnits(
  { privileges, units }: HeldPrivileges,
  unitId: PgColumn,
): SQL | undefined {
  if (privileges.has("view_users")) return undefined;
  return inArray(unitId, [...(units.get("view_users") ?? [])]);
}

/** From this share of its storage on, a mailbox is nearly full: in the list, the overview and the notices. */
export const NEARLY_FULL = 0.9;

/** A mailbox for display, with Dovecot's counts. */
export type ShownMailbox = Pick<
  Mailbox,
  | "address"
  | "name"
  | "suspendedAt"
  | "quotaMb"
  | "forcePasswordChange"
  | "sendingHeldAt"
  | "createdAt"
> & {
  /** False if the company requires single sign-on. */
  acceptsPassword: boolean;
  /** False if passwords aren't accepted. */
  isPasswordChangeDue: boolean;
  hasSecondFactor: boolean;
  /** Its user can use single sign-on, so app passwords work even if a password change is due. */
  signsInWithProvider: boolean;
  orgUnit: { id: number; name: string };
  usedBytes: number;
  messages: number;
  /** Sorted. */
  aliases: string[];
  /** With a mail app or at `/account`. */
  lastSignInAt: string | null;
  lastMailAppAt: string | null;
};

function selectUsage(column: PgColumn): SQL {
  const { address } = mailboxUsage;
  return sql`select ${column} from ${mailboxUsage} where ${address} = ${mailboxes.address}`;
}

const shown = {
  address: mailboxes.address,
  name: mailboxes.name,
  suspendedAt: mailboxes.suspendedAt,
  quotaMb: mailboxes.quotaMb,
  forcePasswordChange: mailboxes.forcePasswordChange,
  hasSecondFactor: mailboxHasFactor,
  acceptsPassword: sql<boolean>`not ${isProviderRequired}`,
  isPasswordChangeDue,
  signsInWithProvider,
  orgUnit: { id: orgUnits.id, name: orgUnits.name },
  usedBytes: usedBytes.mapWith(Number),
  messages: sql<number>`coalesce((${selectUsage(mailboxUsage.messages)}), 0)`.mapWith(Number),
  aliases: sql<string[]>`array(
    select ${aliases.address} from ${aliases}
    where ${aliases.mailbox} = ${mailboxes.address} order by ${aliases.address})`,
  lastSignInAt: sql<string | null>`to_timestamp(nullif(${lastSignInSeconds}, 0))`,
  lastMailAppAt: sql<string | null>`to_timestamp(nullif(${lastMailAppSeconds}, 0))`,
  sendingHeldAt: mailboxes.sendingHeldAt,
  createdAt: mailboxes.createdAt,
};

/**
 * Selects mailboxes for display. Filter on `addresses`, whose indexes serve the lists, and on `mailboxes`.
 */
export const selectShownMailboxes = (ctx: CompanyScope) =>
  ctx.db
    .select(shown)
    .from(addresses)
    .innerJoin(
      mailboxes,
      and(eq(mailboxes.address, addresses.address), eq(mailboxes.companyId, addresses.companyId)),
    )
    .innerJoin(orgUnits, eq(orgUnits.id, mailboxes.orgUnitId));

/** The company's default quota and the plan's maximum, in MB; null for no limit. */
export async function readMailboxSizes(
  ctx: Context,
): Promise<{ defaultQuotaMb: number; quotaMbMax: number | null }> {
  const [sizes] = await ctx.db
    .select({ defaultQuotaMb: companies.defaultQuotaMb, quotaMbMax: companies.quotaMbMax })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  return sizes!;
}

const MB = 1024 * 1024;

export const MAILBOX_STATES = [
  ...(["active", "suspended", "on_hold", "full", "nearly_full"] as const),
  ...(["password_due", "never_signed_in"] as const),
] as const;

type MailboxState = (typeof MAILBOX_STATES)[number];

const STATES: Record<MailboxState, SQL> = {
  active: isNull(mailboxes.suspendedAt),
  suspended: isNotNull(mailboxes.suspendedAt),
  on_hold: isNotNull(mailboxes.sendingHeldAt),
  full: usesAtLeast(1),
  nearly_full: sql`${usesAtLeast(NEARLY_FULL)} and not (${usesAtLeast(1)})`,
  password_due: isPasswordChangeDue,
  never_signed_in: sql`${lastSignInSeconds} = 0`,
};

const inState = (state: MailboxState | undefined) => state && STATES[state];

function usesAtLeast(share: number): SQL {
  return sql`${mailboxes.quotaMb} > 0 and ${usedBytes} >= ${mailboxes.quotaMb} * ${share * MB}::float8`;
}

/** Mailboxes of the company, or of one of its domains. */
async function inDomain(ctx: Context, domain: string | undefined): Promise<SQL> {
  const isOwn = and(eq(addresses.companyId, ctx.companyId), eq(addresses.kind, "mailbox"))!;
  if (domain === undefined) return isOwn;
  const domainId = await requireOwnedDomain(ctx, domain, "domain");
  return and(isOwn, eq(addresses.domainId, domainId))!;
}

/** By address, name, unit, alias, or forwarding address. */
function matchesSearch(search: string | undefined): SQL | undefined {
  if (!search?.trim()) return undefined;
  const unit = sql`(select name from org_units where id = ${mailboxes.orgUnitId})`;
  const { address, name } = mailboxes;
  return sql`(${containsWords([address, name, unit], search)} or ${matchingAddress(search)} is not null)`;
}

/** SQL for the mailbox's first alias, or address that it forwards to, that contains the text; null without one. */
export function matchingAddress(text: string): SQL {
  const pattern = containsPattern(text.trim());
  return sql`coalesce(
    (select min(l.address) from aliases l where l.mailbox = ${mailboxes.address} and l.address like ${pattern}),
    (select min(target) from mailbox_rules r, unnest(r.forward_to) target
      where r.mailbox = ${mailboxes.address} and lower(target) like ${pattern}))`;
}

/** Unit IDs are unique across companies, so restrict them to this one. */
function isBelow(ctx: Context, unit: number | undefined): SQL | undefined {
  if (unit === undefined) return undefined;
  return sql`${mailboxes.orgUnitId} in (
    with recursive below as (
      select id from org_units where id = ${unit}::bigint and company_id = ${ctx.companyId}
      union all
      select u.id from org_units u join below on u.parent_id = below.id
    )
    select id from below)`;
}
