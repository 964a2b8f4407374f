import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";

import { addresses, mailboxes } from "#drizzle/schema/index.ts";
import { requireOwnedDomain } from "#server/core/mailboxes/addresses/new-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageByAddress } from "#server/core/shared/paging/by-address.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/page.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { requireMailServer } from "./require-mail-server.ts";
import { selectShownMailboxes, type ShownMailbox } from "./shown-mailbox.ts";
import { viewableMailboxes } from "./viewable-mailboxes.ts";

/** Fields left out don't filter. */
export type MailboxFilter = {
  /** Name of a domain. */
  domain?: string | undefined;
  /** Part of the address or name, case-insensitive. */
  search?: string | undefined;
  status?: "active" | "suspended" | undefined;
  /** Id of a unit, whose mailboxes and descendants' are listed. A unit of another company has none. */
  unit?: number | undefined;
};

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
  filter: MailboxFilter = {},
): Promise<Page<ShownMailbox>> {
  const inList = and(
    await inDomain(ctx, filter.domain),
    viewableMailboxes(callerPrivileges),
    matchesSearch(filter.search),
    hasStatus(filter.status),
    isBelow(ctx, filter.unit),
  );
  const list = pageByAddress(addresses.address, inList, page);
  if (list.cursor !== null) await requireInList(ctx, list.cursor, inList);
  const reading = selectShownMailboxes(ctx)
    .where(list.where)
    .orderBy(list.orderBy)
    .limit(page.limit + 1);
  const [rows] = await Promise.all([reading, requireMailServer(ctx)]);
  return toPage(rows, page);
}

async function inDomain(ctx: Context, domain: string | undefined): Promise<SQL | undefined> {
  const isOwn = and(eq(addresses.companyId, ctx.companyId), eq(addresses.kind, "mailbox"));
  if (domain === undefined) return isOwn;
  const domainId = await requireOwnedDomain(ctx, domain, "domain");
  return and(isOwn, eq(addresses.domainId, domainId));
}

/** Patterns use the trigram index, so a rare match doesn't scan all addresses. */
function matchesSearch(search: string | undefined): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return sql`(${mailboxes.address} like ${pattern} or lower(${mailboxes.name}) like ${pattern})`;
}

function hasStatus(status: MailboxFilter["status"]): SQL | undefined {
  if (status === undefined) return undefined;
  return status === "active" ? isNull(mailboxes.suspendedAt) : isNotNull(mailboxes.suspendedAt);
}

/** Unit ids are unique across companies, so restrict them to this one. */
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

async function requireInList(ctx: Context, cursor: string, inList: SQL | undefined): Promise<void> {
  const [found] = await selectShownMailboxes(ctx).where(and(inList, eq(addresses.address, cursor)));
  if (!found) throw invalidCursor();
}
